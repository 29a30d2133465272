/** Channels as the image properties describe them. */
import { COLOURS } from "../metadata/channels.ts";
import { child, descendant, descendants, type XmlElement } from "../metadata/xml.ts";
import { numberIn } from "./documents.ts";

/** One channel of the image properties. */
export interface DescribedChannel {
  /** Name that the operator gave, or `null`. */
  readonly name: string | null;
  /** Its place among the channels as it is written, or `null` where it is not. */
  readonly order: string | null;
  /** Whether it is listed as recorded, not only as configured. */
  readonly recorded: boolean;
  /** Ids of the components of a colour channel, which have its pixels. */
  readonly components: readonly string[];
}

/** Channels by id, in the order of their `order` attributes; the first element of an id counts. */
export function describedChannels(root: XmlElement): ReadonlyMap<string, DescribedChannel> {
  const recorded = new Set(
    descendants(descendant(root, "imageInfo"), "channel").map(({ attributes }) => attributes.id?.trim()),
  );
  const byId = new Map<string, DescribedChannel>();
  for (const element of descendants(root, "channel")) {
    const id = element.attributes.id?.trim();
    if (!id) continue;
    const name = child(element, "name")?.text || null;
    const components = descendants(element, "elementChannel").flatMap(({ attributes }) =>
      attributes.id?.trim() ?? []
    );
    const known = byId.get(id);
    byId.set(
      id,
      known
        ? { ...known, name: known.name ?? name, components: [...known.components, ...components] }
        : { name, order: element.attributes.order ?? null, recorded: recorded.has(id), components },
    );
  }
  return new Map([...byId].sort(([, a], [, b]) => placeOf(a) - placeOf(b)));
}

function placeOf({ order }: DescribedChannel): number {
  const value = Number(order ?? 0);
  return Number.isSafeInteger(value) ? value : 0;
}

/** Content of camera channel documents. */
export interface CameraChannels {
  /** Component id to name; colours are `Red`, `Green`, `Blue`. */
  readonly names: ReadonlyMap<string, string>;
  /** Bytes per sample: 1, 2, 4 or `null`. */
  readonly depth: number | null;
}

/** Reads the `elementChannel` elements of camera channel documents; the first document that names a component counts. */
export function cameraChannels(roots: readonly XmlElement[]): CameraChannels {
  const components = roots.flatMap((root) => descendants(root, "elementChannel"));
  const names = new Map<string, string>();
  for (const component of components) {
    const id = component.attributes.id?.trim() || child(component, "id")?.text;
    const written = child(component, "name")?.text;
    if (!id || !written || names.has(id)) continue;
    const lower = written.toLowerCase();
    names.set(
      id,
      COLOURS.find((c) => c.toLowerCase() === lower || c.slice(0, 1).toLowerCase() === lower) ?? written,
    );
  }
  const depth = components.map((c) => numberIn(child(c, "depth"))).find((d) => d === 1 || d === 2 || d === 4);
  return { names, depth: depth ?? null };
}
