/** OIF and OIB: what opens them, what is read of them, and their documents. */
import { equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { collectDocuments } from "../../readers/io/document_list.ts";
import { loadHere, openHere } from "../load_here.ts";

const FOLDER = join(import.meta.dirname!, "../fixtures/oif");

Deno.test("reads only the requested plane", async () => {
  const { summary, counts, plan } = await loadHere(join(FOLDER, "series_v3.oib"), { channelIndices: [1] });
  equal(summary.loaded[0]!.name, "CH2");
  equal(plan.bytes, 4 * 61 * 50);
  const { size } = Deno.statSync(join(FOLDER, "series_v3.oib"));
  // Two planes of six, the directory and the settings of the time points.
  ok(counts.bytes < size, `${counts.bytes} of ${size} bytes are read`);
});

Deno.test("lists the settings texts as documents, unchanged", async () => {
  for (const [file, main] of [["line_scan.oif", "line_scan.oif"], ["path_scan_v3.oib", "path_scan_v3.oif"]]) {
    await openHere(join(FOLDER, file!), (acquisition) => {
      const documents = collectDocuments(acquisition);
      const names = documents.map(({ name }) => name);
      ok(names.includes("s_C001.pty") && names.includes("s_1234-5.roi"), names.join());
      equal(names[0], main);
      match(
        documents[0]!.text,
        /^\[Acquisition Parameters Common\]\r\nImageCaputreDate='2014-03-09 08:05:07'/,
      );
      ok(documents.every(({ mediaType }) => mediaType === "text/plain"));
    });
  }
});
