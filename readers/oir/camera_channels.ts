/** Camera channels: the components of a colour image, and the sample width of camera pictures. */
import { child, type XmlElement } from "../xml.ts";
import { numberIn } from "./documents.ts";
import { elements } from "./frame_documents.ts";

/** Colour of each component id, and the sample width of camera pictures; both as far as the documents say. */
export interface CameraChannels {
  readonly colours: ReadonlyMap<string, string>;
  /** Bytes per sample: 1, 2, 4 or `null`. */
  readonly depth: number | null;
}

/** Names of the components of a colour image, in the order in which they are served. */
export const COLOURS = ["Red", "Green", "Blue"] as const;

/** Reads `elementChannel` elements from the camera channel documents. */
export function cameraChannels(roots: readonly XmlElement[]): CameraChannels {
  const components = roots.flatMap((root) => elements(root, "elementChannel"));
  const colours = new Map<string, string>();
  for (const component of components) {
    const id = component.attributes.id?.trim() || child(component, "id")?.text;
    const name = child(component, "name")?.text.toLowerCase();
    const colour = COLOURS.find((c) => c.toLowerCase() === name || c[0]!.toLowerCase() === name);
    if (id && colour) colours.set(id, colour);
  }
  const depth = components.map((c) => numberIn(child(c, "depth"))).find((d) => d === 1 || d === 2 || d === 4);
  return { colours, depth: depth ?? null };
}

/** Component ids in the order red, green, blue where all three are told, else as they are. */
export function byColour(ids: readonly string[], { colours }: CameraChannels): string[] {
  const told = COLOURS.map((colour) => ids.find((id) => colours.get(id) === colour));
  return ids.length === COLOURS.length && told.every((id) => id !== undefined) ? told : [...ids];
}
