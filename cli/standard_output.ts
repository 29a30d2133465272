/** Standard output, whose reader may go away at any time: `acq-server info *.tif | head -n 1`. */

/** Nobody reads standard output any more, which ends a command without a word. */
export class ReaderGone extends Error {}

/** Standard output takes no more, as where a disk is full. */
export class OutputFailed extends Error {}

/** Writes all of the bytes. @throws {ReaderGone | OutputFailed} */
export async function writeBytes(bytes: Uint8Array): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await Deno.stdout.write(bytes.subarray(at));
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) throw new ReaderGone();
    throw new OutputFailed(
      `Cannot write to standard output: ${error instanceof Error ? error.message : error}`,
    );
  }
}

/** Writes a text and the end of its line. @throws {ReaderGone | OutputFailed} */
export const writeLine = (text: string): Promise<void> => writeBytes(new TextEncoder().encode(`${text}\n`));
