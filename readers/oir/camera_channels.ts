/** Camera channels: the names of components, and the sample width of camera pictures. */
import { COLOURS } from "../metadata/channels.ts";
import { child, descendants, type XmlElement } from "../metadata/xml.ts";
import { numberIn } from "./documents.ts";

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
