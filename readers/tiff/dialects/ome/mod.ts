/**
 * OME-TIFF: OME-XML maps planes to directories of one or several files. It is in the first ImageDescription, or in a file named
 * there (BinaryOnly). Each image is a scene. Sub-resolutions in SubIFDs and modulo annotations are ignored.
 */
import { basename, dirname } from "node:path";
import { DecodeFailed, quoted, reasonOf, unlessDamaged } from "../../../errors.ts";
import { alike, findNamedFiles } from "../../../io/names.ts";
import { leavesFolder, takeLastName } from "../../../io/paths.ts";
import type { FileAccess } from "../../../io/file_access.ts";
import { buildAxes } from "../../../metadata/axes.ts";
import { chooseMoment } from "../../../metadata/moment.ts";
import { type SceneEntry, sizesOf, type TimeStamps } from "../../../reader.ts";
import { listed, warnIf, warning } from "../../../warning.ts";
import { type PageLayout, readPage } from "../../page.ts";
import type { OpenedSeries, OpenedTiff, PlaneIndex, SeriesList, Stack } from "../../stack.ts";
import { tagMoment } from "../../stack.ts";
import { cutAtNul } from "../../directory.ts";
import { isOmeXml } from "../../marks.ts";
import { TiffFile } from "../../tiff_file.ts";
import { withOwnPages } from "./pages.ts";
import { findFirstOfSet, readStampsOfSet } from "./partial.ts";
import { findUuid, OmeSet, PlaneLookup, readUuid } from "./file_set.ts";
import type { Described, DescribedImage, OmeFile, OmeXmlScene, TiffData } from "./xml.ts";
import { numberInOrder, readCompanionDocument, readCompanionText, readOmeDocument } from "./xml.ts";

/** The images of an OME-TIFF and its set; or `null`, with a warning if the document does not describe the opened file. */
export function openOme(opened: OpenedTiff): SeriesList | null {
  const whole = opened.descriptions.find(isOmeXml);
  if (whole === undefined) {
    const text = "The name says OME-TIFF, but the file holds no OME-XML; it is read by its tags alone";
    opened.warnings.push(warning("read_differently", text));
    return null;
  }
  const text = cutAtNul(whole);
  const uuid = findUuid(text);
  try {
    const alone = readOmeDocument(opened, text);
    const described = isPartial(alone) ? findFirstOfSet(opened) ?? alone : alone;
    const own = findOwnImage(opened, described, uuid);
    if (own.read instanceof DecodeFailed) throw own.read;
    return listOmeScenes(opened, described, own, uuid);
  } catch (error) {
    if (!(error instanceof DecodeFailed)) throw error;
    const text = `${reasonOf(error)}; the file is read by its tags alone`;
    opened.warnings.push(warning("metadata_damaged", text));
    return null;
  }
}

/** Whether a document names no file, and describes more planes than its own file has. */
const isPartial = ({ images }: Described) =>
  images.length === 1 &&
  images.every(({ places: [place], read }) =>
    place?.name === null && !(read instanceof DecodeFailed) && read.describedPlanes > 0 &&
    read.describedPlanes < countOmePlanes(read)
  );

const countOmePlanes = ({ sizes: { T, C, Z } }: OmeXmlScene) => T * C * Z;

/** The set of a companion document, opened by its first existing file. @throws {DecodeFailed} no OME-XML, image or file */
export function openCompanion(path: string, files: FileAccess): OpenedSeries {
  const described = readCompanionDocument(path, files);
  const names = described.images.flatMap(({ places }) => places.map(({ name }) => name));
  const named = findNamedFiles(files, dirname(path), names.filter((name) => name !== null));
  for (const image of described.images) {
    for (const { name } of image.places) {
      const found = named.get(name ?? "");
      const file = found === undefined ? null : files.openNeighbour(found);
      if (file === null) continue;
      const tiff = new TiffFile(file, files);
      const { first } = tiff;
      const opened: OpenedTiff = { path: file.path, files, tiff, first, descriptions: [], warnings: [] };
      return { opened, list: listOmeScenes(opened, described, image, readUuid(tiff)) };
    }
  }
  throw new DecodeFailed("no file that OME-XML names exists");
}

function listOmeScenes(
  opened: OpenedTiff,
  given: Described,
  opening: DescribedImage,
  uuid: string | null,
): SeriesList {
  const described = withOwnPages(opened, given);
  const { images, path } = described;
  const own = images[given.images.indexOf(opening)]!;
  const set = new OmeSet(opened, new Set(images.flatMap(({ places }) => places)), path, uuid);
  const held = images.filter((image) => {
    const { read } = image;
    // A damaged image is kept and fails when it is opened.
    if (image === own || read instanceof DecodeFailed) return true;
    // The chain of directories may be damaged before the first directory that is named.
    return unlessDamaged(() => set.holds(read.tiffData, countOmePlanes(read)), false);
  });
  const kept = new Set(held);
  const { absent = [], empty = [] } = Object.groupBy(
    images.filter((image) => !kept.has(image)),
    ({ places }) => set.lacks(places) ? "absent" : "empty",
  );
  const titles = (some: readonly DescribedImage[]) => listed(some.map(({ title }) => quoted(title ?? "")));
  return {
    count: held.length,
    own: held.indexOf(own),
    warnings: [
      ...warnIf(
        empty.length > 0,
        "scenes_left_out",
        `Images of OME-XML that hold no samples are left out: ${titles(empty)}`,
      ),
      ...warnIf(
        absent.length > 0,
        "scenes_left_out",
        `Images of OME-XML are left out because their files are missing: ${titles(absent)}`,
      ),
    ],
    entries: (most) => held.slice(0, most).map(({ name, read }) => ({ name, sizes: readSceneSizes(read) })),
    open: (index) => {
      const image = held[index]!;
      if (image.read instanceof DecodeFailed) throw image.read;
      return buildImageStack(opened, set, described, image, image.read, image === own);
    },
  };
}

/** Memory of an image, and of a `TiffData` with its entry in the opened image's lookup. */
const [IMAGE_BYTES, DATA_BYTES] = [4096, 224];

function readSceneSizes(read: OmeXmlScene | DecodeFailed): SceneEntry["sizes"] {
  if (read instanceof DecodeFailed || !read.samplesStated) return {};
  const { columns: X, rows: Y, sizes } = read;
  const isLength = (value: number) => Number.isSafeInteger(value) && value > 0;
  return isLength(X) && isLength(Y) ? sizesOf(buildAxes({ ...sizes, Y, X }, {})) : {};
}

/** The image with planes in the opened file, found by the file's UUID, else by its name. @throws {DecodeFailed} none */
function findOwnImage(opened: OpenedTiff, { images, path }: Described, uuid: string | null): DescribedImage {
  const own = path === opened.path;
  const has = (belongs: (file: OmeFile) => boolean) => images.find(({ places }) => places.some(belongs));
  const isAlike = (name: string | null) => name !== null && alike(takeLastName(name), basename(opened.path));
  const written = images.flatMap(({ places }) => places.map(({ name }) => name)).filter(isAlike);
  const named = findNamedFiles(opened.files, dirname(path), written.filter((name) => name !== null));
  const isNamed = ({ name }: OmeFile) => {
    if (name === null || !isAlike(name)) return false;
    const found = named.get(name);
    return found === opened.path || found === undefined && leavesFolder(name);
  };
  const byUuid = has((file) => uuid !== null && file.uuid === uuid);
  if (byUuid) return byUuid;
  const byName = has((file) =>
    file.name === null ? own && file.uuid === null : (uuid === null || file.uuid === null) && isNamed(file)
  );
  if (byName) return byName;
  // If a document names a single file, it means its own file, which may have been renamed.
  const names = new Set(images.flatMap(({ places }) => places.map(({ name }) => name)));
  const [first] = images;
  if (own && first && (images.length === 1 || names.size === 1)) return first;
  const name = `"${basename(opened.path)}", which may have been renamed`;
  throw new DecodeFailed(`OME-XML in "${basename(path)}" names no plane of ${name}`);
}

function buildImageStack(
  opened: OpenedTiff,
  set: OmeSet,
  { images, path, size }: Described,
  { title, places }: DescribedImage,
  image: OmeXmlScene,
  isOwn: boolean,
): Stack {
  const layout = layOutOmePlane(opened, set, image.tiffData, isOwn ? null : title ?? "");
  const { samples } = layout;
  // SizeC counts samples. In the schema FirstC counts channels, but in some files it counts samples.
  const folded = samples > 1 && image.sizes.C % samples === 0;
  const sizes = folded ? { ...image.sizes, C: image.sizes.C / samples } : image.sizes;
  const data = folded ? foldSamples(image, samples) : image.tiffData;
  const lookup = new PlaneLookup(data, sizes.T * sizes.C * sizes.Z);
  const numberOf = ({ t, z, channel }: PlaneIndex) =>
    numberInOrder(image.order, sizes, { T: t, C: channel, Z: z });
  return {
    sizes,
    layout,
    calibrations: image.calibrations,
    names: image.names,
    colors: image.colors,
    stamps: image.stamps ?? setStamps(set, lookup, image, numberOf),
    documents: (list) => {
      if (path === opened.path) return;
      list.add(basename(path), "application/xml", readCompanionText(path, opened.files, list.left).text);
    },
    moment: chooseMoment(image.moment, tagMoment(opened.first)),
    files: () => set.filePaths,
    fileSize: size + set.totalSize,
    warnings: [
      ...image.warnings,
      ...set.directoryWarnings(lookup),
      ...warnAboutUnnamedPages(images, set, layout),
      ...set.warnings(places),
    ],
    indexBytes: images.reduce((sum, { read }) => {
      const data = read instanceof DecodeFailed ? 0 : read.tiffData.length;
      return sum + IMAGE_BYTES + data * DATA_BYTES;
    }, 0),
    holds: (at) => set.stores(numberOf(at), lookup),
    plane: (at) => set.plane(numberOf(at), lookup, layout, `the plane T=${at.t} C=${at.channel} Z=${at.z}`),
  };
}

/** Time stamps in the documents of the other files, if that of the set describes the plane of its own file only. */
function setStamps(
  set: OmeSet,
  lookup: PlaneLookup,
  image: OmeXmlScene,
  numberOf: (at: PlaneIndex) => number,
): TimeStamps | null {
  const isFirst = image.sizes.T > 1 && image.describedPlanes > 0 &&
    image.describedPlanes < lookup.ranges.length;
  if (!isFirst) return null;
  return readStampsOfSet(image, (t) => set.documentAt(numberOf({ t, z: 0, l: 0, channel: 0 }), lookup));
}

/** Warns about pages of the opened file without a plane, unless several images name no directories, or one cannot be read. */
function warnAboutUnnamedPages(images: readonly DescribedImage[], set: OmeSet, layout: PageLayout) {
  const read = images.flatMap(({ read }) => read instanceof DecodeFailed ? [] : [read]);
  const isClear = read.length === images.length &&
    (read.length === 1 || read.every(({ tiffData }) => tiffData.length > 0));
  return isClear ? set.unnamedPages(read, layout) : [];
}

/** Number of planes that are tried for the layout, since the first planes of an incomplete set are missing. */
const MAX_TRIED = 64;

/** Layout of the first readable plane; for the opened file's own image (no `title`), at least of its first page. */
function layOutOmePlane(
  { first: own }: OpenedTiff,
  set: OmeSet,
  tiffData: readonly TiffData[],
  title: string | null,
) {
  const first = tiffData.filter((data) => data.first === 0 && data.count > 0).reverse().slice(0, MAX_TRIED);
  for (const data of title === null ? first : [...first, ...tiffData.slice(0, MAX_TRIED)]) {
    const directory = set.start(data);
    if (directory) return readPage(directory);
  }
  if (title === null) return readPage(own);
  throw new DecodeFailed(`no plane of the image ${quoted(title)} can be read`);
}

/** Converts plane numbers from samples to channels, for a document whose SizeC counts samples. */
function foldSamples({ tiffData, order, sizes }: OmeXmlScene, samples: number): TiffData[] {
  const channels = sizes.C / samples;
  const starts = tiffData.map((data) => {
    const at = { T: 0, C: 0, Z: 0 };
    if (data.first === Infinity) return { data, at };
    let rest = data.first;
    for (const letter of order) {
      at[letter] = rest % sizes[letter];
      rest = Math.floor(rest / sizes[letter]);
    }
    return { data, at };
  });
  // A FirstC too large for a channel shows that all FirstC count samples.
  const each = starts.some(({ at }) => at.C >= channels) ? samples : 1;
  return starts.map(({ data, at }) => {
    if (data.first === Infinity) return data;
    const C = Math.floor(at.C / each);
    return { ...data, first: numberInOrder(order, { ...sizes, C: channels }, { ...at, C }) };
  });
}
