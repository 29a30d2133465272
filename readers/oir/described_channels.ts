/** Channels as the image properties describe them. */
import { COLOURS } from "../metadata/channels.ts";
import { child, descendant, descendants, type XmlElement } from "../metadata/xml.ts";
import type { Warning } from "../warning.ts";
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

/** Channels by index. */
export interface ChannelList {
  /** Ids by index. */
  readonly ids: readonly string[];
  /** Described channels, whether they have pixels or not. */
  readonly described: ReadonlyMap<string, DescribedChannel>;
  /** `null` where the file gives none. */
  readonly names: readonly (string | null)[];
  /** What the user should know about the channels. */
  readonly warnings: readonly Warning[];
}

/** Channels by id, in the order of their `order` attributes. What the first element of an id says counts. */
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

/** True when channels have distinct numbers from 1 on, or none of them has one. */
export function orderIsSound(
  channels: ReadonlyMap<string, DescribedChannel>,
  ids: readonly string[],
): boolean {
  const orders = ids.map((id) => channels.get(id)?.order ?? null);
  if (orders.every((order) => order === null)) return true;
  const places = orders.map((order) => /^\d{1,9}$/.test(order ?? "") ? Number(order) : 0);
  return places.every((place) => place >= 1) && new Set(places).size === places.length;
}

/** An id for a message; damage may have made it long. */
export const shortened = (id: string): string => id.slice(0, 40);

/** What camera channel documents say. */
export interface CameraChannels {
  /** Component id to name; colours are `Red`, `Green`, `Blue`. */
  readonly names: ReadonlyMap<string, string>;
  /** Bytes per sample: 1, 2, 4 or `null`. */
  readonly depth: number | null;
}

/** Reads the `elementChannel` elements of camera channel documents; what an earlier document says counts. */
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
