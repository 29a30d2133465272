/**
 * The XML of a document without its longest parts. Nine tenths of it are settings of the microscope, of which nothing is
 * served, and of the experiment, of which little is: parsing them all would take longer than anything else in an open.
 */

/** Elements that are cut out. */
const EXPERIMENT = "Experiment";
const HARDWARE = "HardwareSetting";

/** The parts of a document. */
export interface XmlSections {
  /** What is read in any case. */
  readonly main: string;
  /** How the acquisition was set up, `""` where that is not said. */
  readonly experiment: string;
}

/** Takes a document apart; where it is damaged, what is left is too. */
export function xmlSections(xml: string): XmlSections {
  const { rest, cut } = without(xml, EXPERIMENT);
  return { main: without(rest, HARDWARE).rest, experiment: cut };
}

/** Cuts the first element of a name out, with those of its name inside. */
function without(xml: string, name: string): { readonly rest: string; readonly cut: string } {
  const tags = new RegExp(`<(/?)${name}(?:\\s[^<>]*?)?(/?)>`, "g");
  let [start, depth] = [-1, 0];
  for (const { index, 0: tag, 1: closes, 2: empty } of xml.matchAll(tags)) {
    if (start < 0) start = index;
    depth += closes ? -1 : empty ? 0 : 1;
    if (depth > 0) continue;
    const end = index + tag.length;
    return { rest: xml.slice(0, start) + xml.slice(end), cut: xml.slice(start, end) };
  }
  return { rest: xml, cut: "" };
}
