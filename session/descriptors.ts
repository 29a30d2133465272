/** File descriptors: what connections, files and workers share, and what a system may give few of. */

const NONE_LEFT: readonly string[] = ["EMFILE", "ENFILE"];

/** How many descriptors could be had now, counted up to `most` by taking and giving back as many. */
export function freeDescriptors(most: number): number {
  const taken: Deno.FsFile[] = [];
  try {
    // Any file does; this one exists in every installation.
    while (taken.length < most) taken.push(Deno.openSync(Deno.execPath()));
  } catch (error) {
    // The program itself may have been replaced; that says nothing of descriptors.
    if (!NONE_LEFT.includes((error as { code?: string }).code ?? "")) return most;
  } finally {
    for (const file of taken) file.close();
  }
  return taken.length;
}
