/** Events of a recording: u32 bytes, u32 count, then u32 bytes of the event, f64 seconds, u32 type and a text. */
import { DecodeFailed } from "../errors.ts";
import { decodeText } from "../tiff/text.ts";
import type { TiffFile } from "../tiff/tiff_file.ts";

/** One event. */
export interface RecordedEvent {
  /** Seconds on the clock of the time stamps. */
  readonly seconds: number;
  /** Kind of event, as a number of the program. */
  readonly type: number;
  /** What the user or the program noted. */
  readonly text: string;
}

/** Events of a file; counts that a program wrote in the wrong byte order are far above. */
const MAX_EVENTS = 65_535;

/** Bytes before the text of an event. */
const HEAD_BYTES = 16;

/** Bytes of one event. */
const MAX_EVENT_BYTES = 1 << 16;

/** Bytes of the texts of one file. */
const MAX_TEXTS_BYTES = 4 << 20;

/** Reads the events. @throws {DecodeFailed} they do not lie in the file, or are too many */
export function readEvents(tiff: TiffFile, offset: number): RecordedEvent[] {
  const count = tiff.window.view(offset, 8, "the events").getUint32(4, true);
  if (count > MAX_EVENTS) {
    throw new DecodeFailed(`the events at ${offset} are ${count}, more than ${MAX_EVENTS}`);
  }
  const events: RecordedEvent[] = [];
  let [at, texts] = [offset + 8, 0];
  for (let i = 0; i < count; i += 1) {
    const head = tiff.window.view(at, HEAD_BYTES, "an event");
    const [size, seconds, type] = [
      head.getUint32(0, true),
      head.getFloat64(4, true),
      head.getUint32(12, true),
    ];
    texts += size;
    if (size < HEAD_BYTES || size > MAX_EVENT_BYTES || texts > MAX_TEXTS_BYTES) {
      throw new DecodeFailed(`event ${i} at ${at} has ${size} bytes`);
    }
    const { buffer, byteOffset } = tiff.window.view(at + HEAD_BYTES, size - HEAD_BYTES, "an event");
    events.push({ seconds, type, text: decodeText(new Uint8Array(buffer, byteOffset, size - HEAD_BYTES)) });
    at += size;
  }
  return events;
}
