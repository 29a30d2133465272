/** Where no symbolic links can be made: an account of Windows needs a right for that which few have. */
export const NO_LINKS = Deno.build.os === "windows";

if (NO_LINKS) console.log("Skipped: tests of symbolic links, which few accounts of Windows may make");
