import { COLOURS } from "../metadata/channel_names.ts";
import { JPEG_COMPRESSION, type PageLayout, PHOTOMETRIC } from "./page.ts";

const BY_PHOTOMETRIC: Readonly<Record<number, readonly string[]>> = {
  [PHOTOMETRIC.whiteIsZero]: ["Gray"],
  [PHOTOMETRIC.blackIsZero]: ["Gray"],
  [PHOTOMETRIC.rgb]: COLOURS,
  [PHOTOMETRIC.separated]: ["Cyan", "Magenta", "Yellow", "Black"],
};

/**
 * Names of all channels of a file, samples included, in the order channel × samples + sample. Samples are named
 * by their photometric kind, after their channel where there are several.
 *
 * @param channels served names of the channels
 * @param given names as the file gives them, per channel or per sample
 * @returns `null` where there is no name
 */
export function sampleNames(
  page: PageLayout,
  channels: readonly string[],
  given: readonly (string | null)[],
): (string | null)[] {
  if (page.samples === 1) return channels.map((_, index) => given[index] ?? null);
  if (given.length === channels.length * page.samples) return [...given];
  const photometric = page.compression === JPEG_COMPRESSION && page.photometric === PHOTOMETRIC.ycbcr
    ? PHOTOMETRIC.rgb
    : page.photometric;
  const kinds = BY_PHOTOMETRIC[photometric] ?? [];
  const names = Array.from({ length: page.samples }, (_, sample) => {
    const kind = kinds[sample];
    if (kind !== undefined) return kind;
    const extra = page.extraSamples[sample - (page.samples - page.extraSamples.length)];
    return extra === 1 || extra === 2 ? "Alpha" : null;
  });
  if (channels.length === 1) return names;
  return channels.flatMap((channel) => names.map((name) => name && `${channel} ${name}`));
}
