/**
 * Carries regions and settings of a recording to others. What lies outside the other picture is cut at its edge or left
 * out, and words say so.
 */
import { readKept, writeKept } from "../controls/kept.ts";
import { chooseUnitSymbol, formatDigits } from "../../../measure/axes.ts";
import { KINDS } from "../drawing/kinds.ts";
import { ALL_BANDS, type Region, selectKinds } from "../drawing/region.ts";
import type { Naming } from "../drawing/piece.ts";
import { namePieces } from "../drawing/pieces.ts";
import { isOfRecording, listMeasurableParts, makeIdsDistinct } from "../drawing/table.ts";
import {
  type Drawn,
  type KeptKymograph,
  mapMeasurements,
  summarizeDrawn,
  withoutResults,
} from "../drawing/drawn.ts";
import { findShape, type Scan } from "../drawing/scan.ts";
import type { TypedScan } from "../../../measure/typed_scan.ts";

/** Regions and settings of a recording, as JSON. */
export interface Carried {
  /** Key of the recording. */
  key: string;
  /** Name of its file. */
  name: string;
  drawn: Drawn;
  /** Names of its channels. */
  channels: readonly string[];
  /** Microseconds from one pixel of a line to the next, by the file. */
  pixelTime: number;
  /** Physical step of its columns. */
  step: number;
  /** Calibration, if its file does not say that it is a line scan. */
  typed: TypedScan | null;
}

/** `words` is empty if everything fits. */
export type Fitted = { drawn: Drawn | null; words: string };

/** Increase the number with every change of `Carried`. */
const KEY = "acq-server carried 2";

/** Takes regions and settings from a recording, without results. */
export function carryFrom(drawn: Drawn, scan: Scan, key: string, typed: TypedScan | null = null): Carried {
  // The other recording has its own judgement, and regions that no tool draws.
  const { regions, accepted: _, origin: __, kymograph, ...others } = drawn;
  const carried = regions.filter((region) =>
    !isOfRecording(region) || !drawn.isLineScan && region.kind === "rectangle"
  );
  return {
    key,
    name: scan.fileName,
    drawn: withoutResults({
      ...others,
      regions: carried.map(({ written: _, ...region }) => region),
      kymograph: kymograph && carryKymograph(kymograph),
    }),
    channels: scan.group.channels.map(({ name }) => name),
    pixelTime: 1e6 * scan.pixelTime,
    step: scan.axes[1].step,
    typed,
  };
}

/** A kymograph that was made is made of the other images, too, with its bands and settings; all else in it belongs to its times. */
function carryKymograph({ isMade, look }: KeptKymograph): KeptKymograph {
  const drawn = look?.drawn;
  if (!isMade || !drawn) return { isMade };
  const { shape: [, columns], regions, accepted: _, origin: __, ...others } = drawn;
  const bands = selectKinds(regions, "band").map(({ written: _, ...band }) => band);
  // It fits any number of images.
  return { isMade, look: { drawn: { ...others, shape: [1, columns], regions: bands } } };
}

/** Fits regions and settings to another recording; `drawn` is null if only one of the two is a line scan. */
export function carryTo({ drawn, channels, pixelTime, step, name }: Carried, scan: Scan): Fitted {
  const kind = drawn.isLineScan ? "a line scan" : "an image";
  if (drawn.isLineScan !== scan.isLineScan) {
    return { drawn: null, words: `${name} is ${kind}, and ${scan.fileName} is not.` };
  }
  const shape = findShape(scan);
  const fits = drawn.regions.map((region) => ({ region, fitted: KINDS[region.kind].fitted(region, shape) }));
  const regions = fits.flatMap(({ fitted }) => fitted ?? []);
  const bands = selectKinds(regions, "band");
  const measurable = drawn.isLineScan ? bands : listMeasurableParts(regions);
  // The channel with the same name, else at the same place, else the first.
  const channelOf = (place: number) => {
    const same = scan.group.channels.findIndex(({ name }) => name === channels[place]);
    return String(same >= 0 ? same : place < scan.group.channels.length ? place : 0);
  };
  const namingIn = (parts: readonly { id: string }[]): Naming => ({
    // Measures whole lines in place of a band that is left out.
    band: (id) => id === ALL_BANDS || parts.some((part) => part.id === id) ? id : "",
    channel: (index) => channelOf(Number(index)),
  });
  const named: Drawn = { ...drawn, ...namePieces(drawn, namingIn(measurable)) };
  const fitted = {
    ...named,
    shape,
    regions,
    measurements: mapMeasurements(named.measurements, ({ settings, ...one }) => ({
      ...one,
      settings: { ...settings, ...settings.pixelTime === pixelTime && { pixelTime: 1e6 * scan.pixelTime } },
    })),
    kymograph: selectKinds(regions, "path").length > 0 && drawn.kymograph
      ? nameInKymograph(drawn.kymograph, namingIn)
      : null,
  };
  const left = summarizeDrawn({
    regions: fits.flatMap(({ region, fitted }) => fitted === null ? region : []),
  });
  const cut = fits.flatMap(({ region, fitted }) => fitted === null || fitted === region ? [] : region.name);
  const { step: here, unit } = scan.axes[1];
  const steps = `${formatDigits(here)} ${chooseUnitSymbol(unit)} here and ${formatDigits(step)} there`;
  const words = [
    left === "" ? "" : `Outside of this picture, and left out: ${left}.`,
    cut.length === 0 ? "" : `Cut at its edge: ${cut.join(", ")}.`,
    bands.length > 0 && step !== here ? `Bands keep their columns, of ${steps}.` : "",
  ];
  return { drawn: fitted, words: words.filter((text) => text !== "").join(" ") };
}

/** A kymograph with the channels of the other recording. */
function nameInKymograph(
  kymograph: KeptKymograph,
  namingIn: (bands: readonly Region[]) => Naming,
): KeptKymograph {
  const drawn = kymograph.look?.drawn;
  if (!drawn) return kymograph;
  const naming = namingIn(selectKinds(drawn.regions, "band"));
  return { ...kymograph, look: { drawn: { ...drawn, ...namePieces(drawn, naming) } } };
}

/** Adds drawings to the recording's own judgement and regions. */
export function addToOwn(
  drawn: Drawn,
  own: Pick<Drawn, "accepted" | "regions" | "origin"> | null | undefined,
): Drawn {
  if (!own) return drawn;
  const { accepted = null, origin = null } = own;
  const staying = own.regions.filter(isOfRecording);
  const isThere = (region: Region) => isOfRecording(region) && staying.some(({ id }) => id === region.id);
  const added = drawn.regions.filter((region) => !isThere(region));
  return { ...drawn, accepted, origin, regions: makeIdsDistinct([...added, ...staying]) };
}

/** What carrying needs of the page. */
export interface CarryingPage {
  /** Shows drawings in the open recording, as one step. */
  show: (drawn: Drawn, typed: TypedScan | null) => void;
  notice: (text: string | null, action?: string, act?: () => void) => void;
}

/** What waits for the next recording in this tab. */
export const findWaiting = (): Carried | null => readKept(KEY, "sessionStorage") as Carried | null;

/** Lets regions and settings wait for the next recording that is opened, until they are used. */
export const wait = (carried: Carried | null): void => writeKept(KEY, carried, "sessionStorage");

/**
 * Uses what waits in a recording that was opened. Asks first if the recording has work of its own.
 *
 * @param scanAs returns the recording, an image as a line scan with the typed calibration
 * @param key of the recording
 * @param own describes its own work; empty without any
 */
export function offerWaiting(
  { show, notice }: CarryingPage,
  scanAs: (typed: TypedScan | null) => Scan,
  key: string,
  own: string,
): void {
  const carried = findWaiting();
  if (carried === null || carried.key === key) return;
  const scan = scanAs(carried.typed);
  const { drawn, words } = carryTo(carried, scan);
  if (drawn === null) {
    const forget = () => {
      wait(null);
      notice(null);
    };
    return notice(`${words} Its regions and settings wait for the next one.`, "Forget them", forget);
  }
  const use = () => {
    wait(null);
    show(drawn, carried.typed);
    // The steps of its images end with a kymograph.
    const how = drawn.kymograph?.isMade ? ", and its kymograph is made" : "; Undo takes them away";
    notice(`Regions and settings of ${carried.name} are used here${how}. ${words}`.trim());
  };
  if (own === "") return use();
  notice(
    `${scan.fileName} has work of its own: ${own}. Regions and settings of ${carried.name} would replace it.`,
    "Replace it",
    use,
  );
}
