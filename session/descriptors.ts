/** File descriptors: connections, files and workers share them, and a system may allow few. */

const NONE_LEFT: readonly unknown[] = ["EMFILE", "ENFILE"];

/** How many descriptors are free, counted up to `most` by taking as many and giving them back. */
export function freeDescriptors(most: number): number {
  const taken: Deno.FsFile[] = [];
  try {
    // Any file does; this one exists in every installation.
    const file = Deno.execPath();
    while (taken.length < most) taken.push(Deno.openSync(file));
  } catch (error) {
    // The program itself may have been replaced; that says nothing of descriptors.
    if (!(error instanceof Error && "code" in error && NONE_LEFT.includes(error.code))) return most;
  } finally {
    for (const file of taken) file.close();
  }
  return taken.length;
}
