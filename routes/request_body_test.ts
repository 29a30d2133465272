import { rejects } from "node:assert/strict";
import { RequestValidationFailed } from "./errors.ts";
import { readBody } from "./request_body.ts";

Deno.test("a body that is not complete in time is refused as such, not as what came of it", async () => {
  const body = new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode(`{"a": 1}`)) });
  const headers = { "content-type": "application/json" };
  const request = new Request("http://localhost/", { method: "POST", headers, body });
  await rejects(readBody(request, "OpenRequest", false, 10), (error) => {
    if (!(error instanceof RequestValidationFailed)) throw error;
    return error.details.map(({ type }) => type).join() === "body_timeout";
  });
});
