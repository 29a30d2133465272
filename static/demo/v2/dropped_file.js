/**
 * Files that are dropped on the page. A browser would leave the page for them, and tells no page where they lie.
 *
 * Tested in `tests/browser/ways_in_test.ts`.
 */

/** @param {(text: string) => void} explain */
export function explainDrops(explain) {
  const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) =>
    dataTransfer?.types.includes("Files") === true;
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const name = event.dataTransfer?.files[0]?.name ?? "The file";
    explain(
      `${name} was not opened: a browser does not tell a page where a dropped file lies. Choose it with “Open file…”, or type its path.`,
    );
  });
}
