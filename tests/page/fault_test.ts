import assert from "node:assert/strict";
import { AcqError } from "../../static/client/v2/acq-client.ts";
import { ErrorBody } from "../../schemas/http.ts";
import { explainFault } from "../../static/demo/v2/opening/page.ts";

/** Codes of requests that the page does not send. */
const UNMET = [
  "cancelled",
  "unsupported_media_type",
  "channel_not_found",
  "reference_channel_not_found",
  "host_not_allowed",
  "range_not_satisfiable",
  "method_not_allowed",
];

Deno.test("describes every error code that the page can meet", () => {
  const unknown = explainFault(new Error("x")).words;
  const codes = [...ErrorBody.shape.error.options, "server_unreachable", "no_acq_server", "wrong_size"];
  for (const code of codes.filter((code) => !UNMET.includes(code))) {
    const fault = explainFault(new AcqError(code, "As the server says"));
    assert.notEqual(fault.words, unknown, code);
    assert.doesNotMatch(fault.words, /_|HTTP|session|null/, code);
    assert.deepEqual([fault.code, fault.message], [code, "As the server says"]);
  }
});

Deno.test("describes every thrown value", () => {
  assert.deepEqual(explainFault("x"), {
    words: "Something went wrong in this page.",
    code: "client_error",
    message: "x",
  });
  assert.equal(explainFault(undefined).code, "client_error");
});
