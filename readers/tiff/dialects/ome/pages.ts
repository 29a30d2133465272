/** Images of OME-XML that name the same pages of a file. */
import { quoted } from "../../../errors.ts";
import { listed, type Warning, warning } from "../../../warning.ts";
import { readPage } from "../../page.ts";
import type { OpenedTiff } from "../../stack.ts";
import { PageChain } from "../../stored_planes.ts";
import type { Described, DescribedImage, OmeXmlScene, TiffData } from "./xml.ts";

/** First page of an image, and the page after its last one. */
interface PageSpan {
  readonly image: DescribedImage;
  readonly from: number;
  readonly to: number;
  /** Number of planes that the image declares. */
  readonly planes: number;
}

/** The pages that an image names in the only file of the document; `null` if it cannot be read or names none. */
function findPageSpan(image: DescribedImage, samples: number): PageSpan | null {
  const { read } = image;
  if (read instanceof Error) return null;
  const { T, C, Z } = read.sizes;
  const planes = T * Z * (samples > 1 && C % samples === 0 ? C / samples : C);
  const ends = read.tiffData.filter(({ first, count }) => first !== Infinity && count > 0).map(
    ({ directory, count, counted }) => ({
      from: directory,
      to: directory + (counted ? count : Math.min(count, planes)),
    }),
  );
  if (read.tiffData.length === 0) ends.push({ from: 0, to: planes });
  if (ends.length === 0) return null;
  const { from, to } = ends.reduce((all, { from, to }) => ({
    from: Math.min(all.from, from),
    to: Math.max(all.to, to),
  }));
  return { image, from, to, planes };
}

/**
 * The images with pages of their own, if all of them number their pages from 0, as `write_tiff` of nd2 does. Each then gets the pages
 * after those of the image before, if all pages are alike and as many as the images need. Warns about it, and about any other images
 * that name one page while other pages are named by none.
 */
export function withOwnPages(opened: OpenedTiff, described: Described): Described {
  const { images } = described;
  const [place] = images[0]?.places ?? [];
  const isOneFile = images.length > 1 &&
    images.every(({ places }) => places.length === 1 && places[0] === place);
  if (!isOneFile) return described;
  const { samples } = readPage(opened.first);
  const spans = images.map((image) => findPageSpan(image, samples));
  if (!spans.every((span) => span !== null)) return described;
  const shared = listSharing(spans);
  if (shared.length === 0) return described;
  const needed = spans.reduce((sum, { planes }) => sum + planes, 0);
  // The chain is walked only as far as the count can still fit.
  const isFromZero = spans.every(({ from, to, planes }) => from === 0 && to <= planes);
  if (isFromZero && opened.tiff.countUpTo(needed + 1) === needed && areAlike(opened)) {
    const text = `Scenes number their pages from 0, so the pages are dealt to them in order: ${
      formatTitles(shared)
    }`;
    opened.warnings.push(warning("metadata_disagree", text));
    return { ...described, images: dealPages(spans) };
  }
  const named = Math.max(...spans.map(({ to }) => to));
  if (opened.tiff.countUpTo(named + 1) > named) opened.warnings.push(warnAboutShared(shared));
  return described;
}

/** The images that name a page which another one names, too. */
function listSharing(spans: readonly PageSpan[]): DescribedImage[] {
  const found = new Set<DescribedImage>();
  let farthest: PageSpan | null = null;
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    if (farthest !== null && span.from < farthest.to) found.add(farthest.image).add(span.image);
    if (farthest === null || span.to > farthest.to) farthest = span;
  }
  return spans.map(({ image }) => image).filter((image) => found.has(image));
}

function areAlike({ tiff }: OpenedTiff): boolean {
  const chain = new PageChain(tiff);
  return chain.kinds.length === 1 && chain.offsets.every((_, page) => chain.shownKind(page) === 0);
}

function dealPages(spans: readonly PageSpan[]): DescribedImage[] {
  let start = 0;
  return spans.map(({ image, planes }) => {
    const read = image.read as OmeXmlScene;
    const moved = start;
    start += planes;
    const all: TiffData[] = read.tiffData.length > 0
      ? read.tiffData.map((data) => ({ ...data, directory: data.directory + moved }))
      : [{ first: 0, count: planes, counted: true, directory: moved, place: image.places[0]! }];
    return { ...image, read: { ...read, tiffData: all } };
  });
}

const formatTitles = (images: readonly DescribedImage[]) =>
  listed(images.map(({ title }, index) => quoted(title ?? `Scene ${index + 1}`)));

const warnAboutShared = (shared: readonly DescribedImage[]): Warning =>
  warning(
    "metadata_disagree",
    `Scenes have pages of the file in common, while other pages belong to none: ${formatTitles(shared)}`,
  );
