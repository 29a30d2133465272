/** Headers are judged wherever they stand, however they are spelled and however often, and malformed requests never reach the app. */
import assert from "node:assert/strict";
import { Harness, sampleFolder } from "./harness.ts";
import { parts, raw } from "./raw_socket.ts";
import { PATIENCE, pause, until, within } from "../deadline.ts";

type Line = readonly [name: string, value: string];

const HOST: Line = ["Host", "127.0.0.1"];
const JSON_TYPE: Line = ["Content-Type", "application/json"];

/** A POST with these headers in their order; its length and the end of the connection are added. */
function post(path: string, lines: readonly Line[], body: string): string {
  const all = [...lines, ["Content-Length", String(body.length)], ["Connection", "close"]];
  return `POST ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}:${value}\r\n`).join("")}\r\n${body}`;
}

/** `count` meaningless headers. */
const padding = (count: number): Line[] => Array.from({ length: count }, (_, i) => [`X${i}`, "a"]);

/** Equivalent spellings of a header. */
const spellings = ([name, value]: Line): Line[] => [
  [name, value],
  [name.toLowerCase(), ` ${value}`],
  [name.toUpperCase(), ` \t ${value} \t `],
];

Deno.test("finds an Origin among up to 128 headers; the runtime refuses more", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = server.listen();
  const body = JSON.stringify({ path: sample.image });
  for (const count of [0, 122, 123, 124, 125, 999, 1000, 1001, 5000]) {
    for (const origin of [["Origin", "https://evil.example"], null] as const) {
      for (const isFirst of [true, false]) {
        const own: Line[] = [HOST, JSON_TYPE, ...(origin ? [origin] : [])];
        const lines = isFirst ? [...own, ...padding(count)] : [...padding(count), ...own];
        const { status } = parts(await raw(socket.port, post("/api/v2/open", lines, body)));
        const what = `${lines.length + 2} headers, ${origin ?? "no origin"}, ${isFirst ? "first" : "last"}`;
        // Length and Connection are two more. The client may lose the answer to a head that the runtime does not read on.
        if (lines.length + 2 > 128) assert.ok(status === 400 || Number.isNaN(status), what);
        else assert.equal(status, origin ? 403 : 200, what);
      }
    }
  }
});

Deno.test("accepts 64 KiB of headers, including 40 KiB of cookies; the runtime refuses more", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  const get = async (cookies: string) => {
    const head = `Host: localhost\r\nConnection: close\r\nCookie: ${cookies}\r\n`;
    return parts(await raw(socket.port, `GET /demo/v2/ HTTP/1.1\r\n${head}\r\n`)).status;
  };
  assert.equal(await get(Array.from({ length: 10 }, (_, i) => `c${i}=${"x".repeat(4090)}`).join("; ")), 200);
  assert.equal(await get("c".repeat(65_400)), 200);
  const refused = await get("c".repeat(65_600));
  assert.ok(refused === 400 || Number.isNaN(refused), String(refused));
});

Deno.test("open: finds a header in every position and spelling, alone and repeated", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = server.listen();
  const body = JSON.stringify({ path: sample.image });
  /** What is foreign, what is harmless beside it, and the statuses alone and with a second one. */
  const table: [foreign: Line, harmless: Line, alone: number, doubled: number][] = [
    // The runtime refuses a second Host.
    [["Host", "evil.example"], HOST, 403, 400],
    [["Host", ""], HOST, 403, 400],
    [["Origin", "https://evil.example"], ["Origin", "http://127.0.0.1"], 403, 403],
    [["Origin", "null"], ["Origin", "http://localhost:3000"], 403, 403],
    [["Origin", ""], ["Origin", "http://127.0.0.1"], 403, 403],
    [["Sec-Fetch-Site", "cross-site"], ["Sec-Fetch-Site", "same-origin"], 403, 403],
    [["Sec-Fetch-Site", "same-site"], ["Sec-Fetch-Site", "none"], 403, 403],
    [["Sec-Fetch-Site", "CROSS-SITE"], ["Sec-Fetch-Site", "none"], 403, 403],
    [["Sec-Fetch-Site", ""], ["Sec-Fetch-Site", "none"], 403, 403],
    [["Content-Type", "text/plain"], JSON_TYPE, 415, 415],
    [["Content-Type", ""], JSON_TYPE, 415, 415],
    [["Content-Type", "text/plain"], ["Content-Type", "application/json; x="], 415, 415],
  ];
  const answers = async (lines: readonly Line[]) =>
    parts(await raw(socket.port, post("/api/v2/open", lines, body))).status;
  for (const [foreign, harmless, alone, doubled] of table) {
    const others = [HOST, JSON_TYPE].filter(([name]) => name !== foreign[0]);
    for (const line of spellings(foreign)) {
      for (const lines of [[line, ...others], [...others, ...padding(9), line]]) {
        assert.equal(await answers(lines), alone, JSON.stringify(lines));
      }
      for (const second of spellings(harmless)) {
        const orders = [[line, second, ...others], [second, line, ...others], [second, ...others, line]];
        for (const lines of orders) assert.equal(await answers(lines), doubled, JSON.stringify(lines));
      }
      // As a continued line (RFC 9112, section 5.2), and with a blank before the colon (5.1).
      for (const [name, value] of [[line[0], `\r\n ${line[1]}`], [`${line[0]} `, line[1]]] as const) {
        assert.equal(await answers([...others, [name, value]]), 400, JSON.stringify([name, value]));
      }
    }
    const missing = foreign[0] === "Host" ? 403 : foreign[0] === "Content-Type" ? 415 : 200;
    assert.equal(await answers(others), missing, `without ${foreign[0]}`);
    for (const line of spellings(harmless)) {
      assert.equal(await answers([...others, line]), 200, JSON.stringify(line));
    }
  }
  // A trailer is not part of the head.
  const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
  const trailed = (head: string, trailer: string) =>
    raw(
      socket.port,
      `POST /api/v2/open HTTP/1.1\r\nContent-Type: application/json\r\n${head}Transfer-Encoding: chunked\r\n` +
        `Connection: close\r\n\r\n${chunked}${trailer}\r\n`,
    );
  assert.equal(parts(await trailed("", "Host: 127.0.0.1\r\n")).status, 403);
  assert.equal(
    parts(await trailed("Host: localhost\r\nOrigin: https://evil.example\r\n", "Origin: x\r\n")).status,
    403,
  );
  assert.equal(parts(await trailed("Host: localhost\r\n", "Sec-Fetch-Site: cross-site\r\n")).status, 200);
});

Deno.test("treats a page with a hidden Origin as one without an address, and requires a body", async () => {
  const titles: string[] = [];
  await using server = new Harness({
    pick: ({ title }) => {
      titles.push(title);
      return Promise.resolve(null);
    },
  });
  await using socket = server.listen();
  const ask = async (lines: readonly Line[], body = "{}") =>
    parts(await raw(socket.port, post("/api/v2/pick-and-open", [HOST, ...lines], body))).status;
  for (const site of ["cross-site", "same-site", "Same-Site", "future-site"]) {
    assert.equal(await ask([["Sec-Fetch-Site", site]], ""), 415, site);
  }
  assert.equal(await ask([["Sec-Fetch-Site", "cross-site"], JSON_TYPE]), 200);
  assert.equal(await ask([["Origin", ""], JSON_TYPE]), 200);
  assert.equal(await ask([["Sec-Fetch-Site", "none"]], ""), 200);
  assert.equal(await ask([], ""), 200);
  assert.deepEqual(titles, [
    "Open an acquisition for a page without an address",
    "Open an acquisition for a page without an address",
    "Open an acquisition",
    "Open an acquisition",
  ]);
  titles.length = 0;
  for (const second of ["http://127.0.0.1", "null", "https://evil.example"]) {
    const lines: Line[] = [JSON_TYPE, ["Origin", "https://evil.example"], ["Origin", second]];
    assert.equal(await ask(lines), 403);
  }
  assert.deepEqual(titles, []);
});

Deno.test("answers a repeated Range with the whole plane", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = server.listen();
  const { channels: [channel] } = await server.open(sample.image, [0]);
  const get = async (...ranges: string[]) => {
    const head = ranges.map((line) => `${line}\r\n`).join("");
    const request = `GET ${channel!.dataUrl} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${head}\r\n`;
    const { status, head: answered } = parts(await raw(socket.port, request));
    return `${status} ${/content-length: (\d+)/.exec(answered)?.[1]}`;
  };
  // 30 rows of 20 floats are 2400 bytes.
  assert.equal(await get(), "200 2400");
  assert.equal(await get("RANGE:\t bytes=0-3 "), "206 4");
  assert.equal(await get("Range: bytes=0-3", "range: bytes=0-3"), "200 2400");
  assert.equal(await get("Range:", "Range: bytes=0-3"), "200 2400");
  assert.equal(await get("Range: bytes=0-3", "Range:"), "200 2400");
  assert.equal(await get("Range:"), "200 2400");
  assert.equal(await get("Range: bytes=0-3", "If-Range: x"), "200 2400");
});

const START = "POST /api/v2/open HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`;

/** Malformed requests, which reach the runtime in one packet each. */
const MALFORMED: readonly string[] = [
  "garbage\r\n\r\n",
  `${START}no colon\r\n\r\n`,
  `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}2\r\n{}}\r\n0\r\n\r\n`,
  `${CHUNKED}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
  `${CHUNKED}0x2\r\n{}\r\n0\r\n\r\n`,
  ...["xchunked", "identity", "chunked;q=1", '"chunked"', "", "chunked, gzip"]
    .map((coding) => `${START}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`),
  `${START}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`,
  `${START}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `${START}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} `,
  ...["2, 2", "+2", "-2", "0x2", "2;", "", '"2"', "9".repeat(30)]
    .map((length) => `${START}Content-Length: ${length}\r\n\r\n{}`),
  `${START}A: b\0c\r\n\r\n`,
  `${START}A: b\rOrigin: https://evil.example\r\n\r\n`,
  `${START}A(b): c\r\n\r\n`,
  `${START}\xe9: c\r\n\r\n`,
  `${START}: c\r\n\r\n`,
];

Deno.test("the runtime refuses malformed requests with a bare 400 or the end of the connection", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  for (const request of MALFORMED) {
    const answer = await raw(socket.port, request);
    assert.match(
      answer,
      /^(HTTP\/1\.1 400 Bad Request\r\n[^]*\r\n\r\n)?$/,
      JSON.stringify(request).slice(0, 300),
    );
  }
  assert.equal((await (await fetch(`${socket.base}/api/v2/health`)).json()).ok, true);
  assert.equal(server.pool.counts.busy, 0);
  assert.deepEqual(server.logged.filter((line) => !line.includes("/api/v2/health")), []);
});

Deno.test("answers a body that is malformed after its head", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  for (const [...sent] of [[CHUNKED, "zz\r\n{}\r\n0\r\n\r\n"], [CHUNKED, "2\r\n{}\r\n", "-1\r\n\r\n"]]) {
    const { status, body } = parts(await raw(socket.port, ...sent));
    assert.equal(status, 422);
    assert.equal(JSON.parse(body).details[0].type, "body_incomplete");
  }
});

Deno.test("answers a body that does not arrive within 30 s", async () => {
  await using server = new Harness();
  await using socket = server.listen();
  for (
    const start of [
      `${CHUNKED}2\r\n{`,
      `${START}Content-Length: 99\r\n\r\n{`,
      `${START}Content-Length: 99\r\n\r\n`,
    ]
  ) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: socket.port });
    await connection.write(new TextEncoder().encode(start));
    await until(() => server.clock.waiting > 0);
    server.clock.move(29_999);
    await pause(20);
    assert.equal(server.clock.waiting, 1);
    server.clock.move(1);
    const chunk = new Uint8Array(4096);
    const read = await within(PATIENCE, "the answer", connection.read(chunk));
    const { status, body } = parts(new TextDecoder().decode(chunk.subarray(0, read!)));
    assert.equal(status, 422);
    assert.match(JSON.parse(body).message, /did not arrive within 30 s/);
  }
});

Deno.test("every endpoint refuses a second Origin", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness({ allowedOrigins: ["*"] });
  await using socket = server.listen();
  const { channels: [channel] } = await server.open(sample.image);
  const twice = "Origin: http://127.0.0.1\r\nOrigin: http://127.0.0.1\r\n";
  for (const path of ["/api/v2/health", "/demo/v2/", "/nothing", channel!.dataUrl]) {
    const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${twice}\r\n`;
    const { status, body } = parts(await raw(socket.port, request));
    assert.equal(`${status} ${JSON.parse(body).error}`, "403 origin_not_allowed", path);
  }
});

Deno.test("accepts valid HTTP: 100-continue, Chunked", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = server.listen();
  const body = JSON.stringify({ path: sample.image });
  const chunks = `${body.length.toString(16)};name=value\r\n${body}\r\n0\r\n\r\n`;
  const length = `Content-Length: ${body.length}\r\n`;
  const requests = [
    `${START}Connection: close\r\nExpect: 100-Continue\r\n${length}\r\n${body}`,
    `${START}Connection: close\r\nTransfer-Encoding: \t Chunked \r\n\r\n${chunks}`,
    `${START}Connection: close\r\nOrigin_: https://evil.example\r\nSec_Fetch_Site: cross-site\r\n${length}\r\n${body}`,
  ];
  for (const request of requests) assert.equal(parts(await raw(socket.port, request)).status, 200, request);
});
