/** The metadata of an LSM file as documents: its binary structures in JSON, by the names that they have there. */
import { DecodeFailed } from "../errors.ts";
import type { DocumentList } from "../tiff/document_list.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";
import { readEvents } from "./event_list.ts";
import type { InfoRecord } from "./info_record.ts";
import { readDrawings } from "./overlays.ts";
import { readScanInformation, type ScanEntry } from "./scan_information.ts";
import { readTimeStamps } from "./time_stamps.ts";

/** Adds what is there and not empty; a damaged structure is left out, as the open warned of it or reads without it. */
export function addDocuments(list: DocumentList, tiff: TiffFile, { offsets, overlays }: InfoRecord): void {
  const { scanInformation, timeStamps, eventList } = offsets;
  const add = (name: string, offset: number, read: () => unknown) => {
    if (offset === 0) return;
    try {
      const value = read();
      if (!Array.isArray(value) || value.length > 0) {
        list.add(name, "application/json", JSON.stringify(value));
      }
    } catch (error) {
      if (!(error instanceof DecodeFailed) || list.left < 0) throw error;
    }
  };
  add("ScanInformation", scanInformation, () => readable(readScanInformation(tiff, scanInformation).root));
  add("TimeStamps", timeStamps, () => [...readTimeStamps(tiff, timeStamps)]);
  add("EventList", eventList, () => readEvents(tiff, eventList));
  for (const { name, offset } of overlays) add(name, offset, () => readDrawings(tiff, offset, name));
}

/** `{"id": "0x10000001", "value": ...}`, or with `entries` for a block. */
function readable({ id, value, entries }: ScanEntry): unknown {
  const name = `0x${id.toString(16).padStart(8, "0")}`;
  return entries.length > 0 ? { id: name, entries: entries.map(readable) } : { id: name, value };
}
