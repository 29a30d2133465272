import { equal } from "node:assert/strict";
import { askingOrigin, isLoopbackOrigin } from "./guard.ts";

Deno.test("an origin is on this machine by its whole host, over HTTP", () => {
  const own = [
    "http://localhost",
    "https://localhost:8443",
    "http://127.0.0.1:5000",
    "http://127.255.0.9",
    "http://[::1]:80",
  ];
  for (const origin of own) equal(isLoopbackOrigin(origin), true, origin);
  const foreign = [
    ...[
      "http://localhost.example.org",
      "http://127.0.0.1.example.org",
      "http://example.org",
      "http://128.0.0.1",
    ],
    ...["http://[::2]", "ftp://localhost", "file://localhost/a", "null", "", "localhost"],
  ];
  for (const origin of foreign) equal(isLoopbackOrigin(origin), false, origin);
});

Deno.test("a page that does not tell its origin is told from a script", () => {
  const asking = (headers: Record<string, string>) => askingOrigin(new Headers(headers));
  equal(asking({}), undefined);
  equal(asking({ origin: "http://a", "sec-fetch-site": "none" }), "http://a");
  for (const site of ["same-origin", "none", "None"]) {
    equal(asking({ "sec-fetch-site": site }), undefined, site);
  }
  for (const site of ["cross-site", "same-site", "", "nonesuch"]) {
    equal(asking({ "sec-fetch-site": site }), "", site);
  }
});
