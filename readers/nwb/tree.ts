/** Finds the images of an NWB file. */
import { quoted } from "../errors.ts";
import { DamagedStructure } from "../hdf5/fields.ts";
import type { Hdf5File } from "../hdf5/file.ts";
import type { OptionalMetadata } from "../hdf5/optional.ts";

/**
 * A series of images, or of the lines of a line scan (a group); a still (a dataset); or what is damaged, so that nobody knows which
 * images it holds.
 */
export type NwbObject =
  | { readonly path: string; readonly kind: "series" | "lines" | "still" }
  | { readonly path: string; readonly kind: "damaged"; readonly damage: DamagedStructure };

/** Groups in which images are, in the order of the scenes. */
const ROOTS = ["/acquisition", "/processing", "/stimulus"];

const SERIES: readonly string[] = ["TwoPhotonSeries", "OnePhotonSeries", "ImageSeries"];

const STILLS: readonly string[] = ["GrayscaleImage", "RGBImage", "RGBAImage", "Image"];

/** A series of any measurement. */
const TIME_SERIES = "TimeSeries";

/** Fewest pixels of a line: series of a few values for each time are those of sensors. */
const LEAST_COLUMNS = 8;

/** What names or descriptions of line scans say. */
const LINES = /line[\s_-]*scan|kymograph/i;

/** Units of electrical signals, which a description may say were recorded with a line scan: symbols, and words in any case. */
const ELECTRICAL = [
  /^[pnuµμmkMG]?[VAΩ]$|^[pnuµμm][SF]$/,
  /^[a-z]*(?:volt|amp|ampere|ohm|siemens|farad)s?$/i,
];

/** Types that extend those of images but hold none. */
const NO_IMAGES: readonly string[] = ["IndexSeries", "ImageMaskSeries", "OpticalSeries"];

/** Deepest nesting, and most objects: each takes some reads. */
const [MAX_DEPTH, MAX_OBJECTS] = [8, 20_000];

/** What a file holds. */
export interface FoundImages {
  /** Line scans first. */
  readonly images: readonly NwbObject[];
  /** Names of series and images in other files. */
  readonly outside: readonly string[];
  /** Series of two dimensions that are not line scans, and why. */
  readonly tables: readonly string[];
  /** Types of what else there is. */
  readonly others: readonly string[];
}

/** Finds the images of a file. */
export function findImages(file: Hdf5File, metadata: OptionalMetadata): FoundImages {
  const finder = new ImageFinder(file, metadata);
  for (const root of ROOTS) finder.walkRoot(root);
  const { images, outside, tables, others } = finder;
  return { images, outside, tables, others: [...others] };
}

/** Walks the groups of a file and notes what they hold. */
class ImageFinder {
  readonly images: NwbObject[] = [];
  readonly outside: string[] = [];
  readonly tables: string[] = [];
  readonly others = new Set<string>();
  /** Links lead to an object a second time. */
  readonly #seen = new Set<string | number>();
  readonly #file: Hdf5File;
  readonly #metadata: OptionalMetadata;
  #left = MAX_OBJECTS;

  constructor(file: Hdf5File, metadata: OptionalMetadata) {
    this.#file = file;
    this.#metadata = metadata;
  }

  walkRoot(root: string): void {
    const before = this.images.length;
    if (this.#unlessLost(root, () => this.#file.kindOf(root), "nothing") === "group") this.#walk(root, 0);
    const found = this.images.splice(before).sort((a, b) =>
      Number(b.kind === "lines") - Number(a.kind === "lines") ||
      (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)
    );
    this.images.push(...found);
  }

  /** What `read` gives; what is damaged keeps its place among the images. */
  #unlessLost<T>(path: string, read: () => T, otherwise: T): T {
    return this.#metadata.read(path, () => {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof DamagedStructure)) throw error;
        this.images.push({ path, kind: "damaged", damage: error });
        return otherwise;
      }
    }, otherwise);
  }

  #walk(path: string, depth: number): void {
    for (const name of this.#unlessLost(path, () => this.#file.names(path), [])) {
      const own = `${path}/${name}`;
      if ((this.#left -= 1) < 0) return;
      this.#unlessLost(own, () => this.#visit(own, depth), undefined);
    }
  }

  #visit(path: string, depth: number): void {
    const file = this.#file;
    const kind = file.kindOf(path);
    if (kind === "external") this.outside.push(`${quoted(path)} in ${dropFolders(file.externalFile(path))}`);
    if (kind !== "group" && kind !== "dataset") return;
    const type = this.#readNewType(path);
    if (type === null) return;
    if (kind === "group") return this.#visitGroup(path, type, depth);
    if (STILLS.includes(type)) this.images.push({ path, kind: "still" });
    else if (type === "ExternalImage") this.outside.push(quoted(path));
  }

  /** The type of an object, `""` without one; `null` if the object was seen before. */
  #readNewType(path: string): string | null {
    const address = this.#file.addressOf(path);
    if (address !== null && this.#seen.has(address)) return null;
    const type = this.#file.text(path, "neurodata_type") ?? "";
    const id = this.#file.text(path, "object_id");
    if (id !== null && this.#seen.has(id)) return null;
    // Whatever has an identifier has a type.
    if (id !== null && type === "") throw new DamagedStructure(`${path} has no neurodata_type`);
    for (const own of [address, id]) if (own !== null) this.#seen.add(own);
    return type;
  }

  #visitGroup(path: string, type: string, depth: number): void {
    const file = this.#file;
    const shape = type === TIME_SERIES ? readTwoLengths(file, path) : null;
    const otherwise = shape === null ? null : whyNoLines(file, path, shape);
    const areLines = shape !== null && otherwise === null;
    if (areLines || isSeries(file, path, type)) {
      const elsewhere = listExternalFiles(file, path);
      if (elsewhere === null) this.images.push({ path, kind: areLines ? "lines" : "series" });
      else this.outside.push(`${quoted(path)} in ${elsewhere}`);
      return;
    }
    if (otherwise !== null) this.tables.push(`${quoted(path)} (${otherwise})`);
    if (type !== "" && type !== "Images" && type !== "ProcessingModule") this.others.add(type);
    if (depth < MAX_DEPTH) this.#walk(path, depth + 1);
  }
}

/** Whether a group is a series of images: by its type, or as a type of an extension by what it has. */
function isSeries(file: Hdf5File, path: string, type: string): boolean {
  if (SERIES.includes(type)) return true;
  if (NO_IMAGES.includes(type) || file.kindOf(`${path}/imaging_plane`) !== "group") return false;
  const data = `${path}/data`;
  return file.kindOf(data) === "dataset" && [3, 4].includes(file.dataset(data).shape.length);
}

/** Lengths of the two axes of a series of numbers; `null` for any other series. */
function readTwoLengths(file: Hdf5File, path: string): readonly [number, number] | null {
  const data = `${path}/data`;
  if (file.kindOf(data) !== "dataset") return null;
  const { shape, sampleType } = file.dataset(data);
  return shape.length === 2 && sampleType !== null ? shape as [number, number] : null;
}

/** Why a series of two dimensions is not a line scan, by its name or description, columns and unit; `null` if it is one. */
function whyNoLines(file: Hdf5File, path: string, [, columns]: readonly [number, number]): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isNamed = [name, file.text(path, "description") ?? ""].some((text) => LINES.test(text));
  if (!isNamed) return "neither name nor description says line scan";
  if (columns < LEAST_COLUMNS) return `fewer than ${LEAST_COLUMNS} columns`;
  const unit = file.text(`${path}/data`, "unit")?.trim() ?? "";
  return ELECTRICAL.some((electrical) => electrical.test(unit)) ? `unit ${quoted(unit)}` : null;
}

/** The files that hold the samples of a series; `null` if it holds them. */
function listExternalFiles(file: Hdf5File, path: string): string | null {
  const data = `${path}/data`;
  if (file.kindOf(data) === "external") return dropFolders(file.externalFile(data));
  const names = file.value(`${path}/external_file`);
  if (!names || names.length === 0) return null;
  const isEmpty = file.kindOf(data) !== "dataset" || file.dataset(data).shape.includes(0);
  const isStated = String(file.value(`${path}/format`) ?? "") === "external";
  if (!isEmpty && !isStated) return null;
  return names.slice(0, 5).map((name) => dropFolders(String(name))).join(", ");
}

/** The name of a file without its folders, which may name a person. */
const dropFolders = (path: string): string => quoted(/[^\\/]*$/.exec(path)![0]);
