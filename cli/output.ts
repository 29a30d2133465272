/** Standard output of the program and its commands. */

/** The reader of standard output has ended (`acq-server info *.tif | head -n 1`); the command then ends silently. */
export class ReaderGone extends Error {}

/** Standard output cannot be written, for example because the disk is full. */
export class OutputFailed extends Error {}

/** Writes bytes to standard output. @throws {ReaderGone | OutputFailed} */
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

/** Writes a line to standard output. @throws {ReaderGone | OutputFailed} */
export const writeLine = (text: string): Promise<void> => writeBytes(new TextEncoder().encode(`${text}\n`));
