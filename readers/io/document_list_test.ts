import { deepEqual, throws } from "node:assert/strict";
import { collectDocuments, type DocumentList } from "./document_list.ts";

const documents = (list: DocumentList) => {
  list.add("header", "application/xml", "<µ/>");
  list.add("absent", "text/plain", null);
  list.add("empty", "text/plain", "");
  list.require(2);
  list.add("notes", "text/plain", "ab");
};

Deno.test("documents keep their order and share a budget of UTF-8 bytes", () => {
  deepEqual(collectDocuments({ documents }, 7), [
    { name: "header", mediaType: "application/xml", text: "<µ/>" },
    { name: "notes", mediaType: "text/plain", text: "ab" },
  ]);
  for (const most of [6, 4, 0]) {
    throws(() => collectDocuments({ documents }, most), {
      tag: "decode_failed",
      message: `its metadata documents have more than ${most} bytes`,
    });
  }
});
