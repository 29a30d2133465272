/** File descriptors: what connections, files and workers share, and what a system may give few of. */

/** How many descriptors could be had now, counted up to `most` by taking and giving back as many. */
export function freeDescriptors(most: number): number {
  const taken: Deno.FsFile[] = [];
  try {
    // Any file does; this one exists in every installation.
    while (taken.length < most) taken.push(Deno.openSync(Deno.execPath()));
  } catch {
    // There are no more.
  } finally {
    for (const file of taken) file.close();
  }
  return taken.length;
}
