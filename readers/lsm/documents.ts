/** The metadata of an LSM file as documents: its binary structures in JSON, by the names that they have there. */
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../io/document_list.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { readEvents } from "./event_list.ts";
import type { InfoRecord } from "./info_record.ts";
import { readDrawings } from "./overlays.ts";
import { readScanInformation, type ScanEntry } from "./scan_information.ts";
import { readTimeStamps } from "./time_stamps.ts";

/** Adds what the file has; a damaged structure is left out, since the open warned of it or does without it. */
export function addDocuments(list: DocumentList, tiff: TiffFile, { offsets, overlays }: InfoRecord): void {
  const { scanInformation, timeStamps, eventList } = offsets;
  const add = (name: string, offset: number, read: () => unknown) => {
    if (offset === 0) return;
    const value = unlessDamaged(read);
    if (value === null || Array.isArray(value) && value.length === 0) return;
    list.add(name, "application/json", JSON.stringify(value));
  };
  add("ScanInformation", scanInformation, () => readable(readScanInformation(tiff, scanInformation).root));
  add("TimeStamps", timeStamps, () => [...readTimeStamps(tiff, timeStamps)]);
  add("EventList", eventList, () => readEvents(tiff, eventList));
  for (const { name, offset } of overlays) add(name, offset, () => readDrawings(tiff, offset, name));
}

function unlessDamaged(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof DecodeFailed) return null;
    throw error;
  }
}

/** `{"id": "0x10000001", "value": ...}`, or with `entries` for a block. */
function readable({ id, value, entries }: ScanEntry): unknown {
  const name = `0x${id.toString(16).padStart(8, "0")}`;
  return entries.length > 0 ? { id: name, entries: entries.map(readable) } : { id: name, value };
}
