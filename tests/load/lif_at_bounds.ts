/** LIF files at the bounds of their parsers, as `files_at_bounds.ts` has them of other formats. */
import { MAX_BLOCKS } from "../../readers/lif/container.ts";
import { MAX_XML_BYTES, MAX_XML_NODES } from "../../readers/io/limits.ts";
import { block, concat, element, header, image, samples, text, XY } from "../fixtures/lif_writer.ts";

/** Images with all that describes them, some 40 nodes each. */
const DESCRIBED = Math.floor(MAX_XML_NODES / 42);

const pixels = () => block("M1", samples(12));

const file = (inside: string) => concat(text(header(element("file", "", "", inside))), pixels());

const attached = (settings: string, stamps = "") =>
  image(XY, [{}], `${stamps}<Attachment Name="HardwareSetting">${settings}</Attachment>`);

/** Blocks without samples, each with a name of its own, behind the one that is read. */
function blocks(count: number): Uint8Array {
  const head = concat(text(header(element("file", "", "", element("a", image(), "M1")))), pixels());
  const one = block("000000", new Uint8Array(0));
  const all = new Uint8Array(head.length + one.length * (count - 1));
  all.set(head);
  for (let i = 0; i < count - 1; i += 1) {
    const at = head.length + one.length * i;
    all.set(one, at);
    [...String(i).padStart(6, "0")].forEach((digit, k) => all[at + 22 + 2 * k] = digit.charCodeAt(0));
  }
  return all;
}

/** Bytes by the name of the file. */
export const lifAtBounds = (): Readonly<Record<string, () => Uint8Array>> => ({
  "most_images.lif": () => file(element("a", image(), "M1").repeat(DESCRIBED)),
  "more_nodes.lif": () => file(element("a", image(), "M1").repeat(2 * DESCRIBED)),
  // Fifteen million elements that are left out.
  "most_omitted.lif": () => file(element("a", attached("<a/>".repeat((MAX_XML_BYTES - 5000) / 4)), "M1")),
  "most_stamps.lif": () =>
    file(
      element(
        "a",
        image([...XY, [4, 1_000_000, 12]], [{}], `<TimeStampList>${"1 ".repeat(15_000_000)}</TimeStampList>`),
        "M1",
      ),
    ),
  "most_blocks.lif": () => blocks(MAX_BLOCKS),
  "more_blocks.lif": () => blocks(MAX_BLOCKS + 1),
});
