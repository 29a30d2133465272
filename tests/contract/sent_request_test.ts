/** Headers are judged as sent, wherever they stand, however they are spelled and however often. */
import assert from "node:assert/strict";
import { Harness, sampleFolder } from "./harness.ts";
import { parts, raw } from "./raw_socket.ts";

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

Deno.test("finds an Origin among any number of headers, and accepts up to 100 headers", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = await server.listen();
  const body = JSON.stringify({ path: sample.image });
  for (const count of [0, 94, 95, 96, 97, 999, 1000, 1001, 5000]) {
    for (const origin of [["Origin", "https://evil.example"], null] as const) {
      for (const isFirst of [true, false]) {
        const own: Line[] = [HOST, JSON_TYPE, ...(origin ? [origin] : [])];
        const lines = isFirst ? [...own, ...padding(count)] : [...padding(count), ...own];
        const { status, body: text } = parts(await raw(socket.port, post("/api/v2/open", lines, body)));
        const what = `${lines.length + 2} headers, ${origin ?? "no origin"}, ${isFirst ? "first" : "last"}`;
        // Length and Connection are two more.
        const expected = lines.length + 2 > 100 ? 431 : origin ? 403 : 200;
        assert.equal(status, expected, what);
        if (expected !== 431) continue;
        const { ok, error, message, details } = JSON.parse(text);
        assert.deepEqual([ok, error, details], [false, "request_validation_failed", []]);
        assert.match(message, /more than 100 headers.*cookies of other programs on this host/);
      }
    }
  }
});

Deno.test("accepts 64 KiB of headers, including 40 KiB of cookies", async () => {
  await using server = new Harness();
  await using socket = await server.listen();
  const get = async (lines: readonly Line[]) => {
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    return parts(await raw(socket.port, `GET /demo/v2/ HTTP/1.1\r\n${head}\r\n`)).status;
  };
  const lines: Line[] = [HOST, ["Connection", "close"]];
  // Each line ends with CR LF and has a colon and a blank after its name.
  const bytes = lines.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  const cookie = (size: number): Line => ["Cookie", "c".repeat(size - "Cookie: \r\n".length)];
  const cookies = Array.from({ length: 10 }, (_, i) => `c${i}=${"x".repeat(4090)}`).join("; ");
  assert.equal(await get([...lines, ["Cookie", cookies]]), 200);
  assert.equal(await get([...lines, cookie(65536 - bytes)]), 200);
  assert.equal(await get([...lines, cookie(65537 - bytes)]), 431);
  assert.equal(await get([cookie(65537 - bytes), ...lines]), 431);
  assert.equal(await get([...lines, cookie(200_000)]), 431);
});

Deno.test("open: finds a header in every position and spelling, alone and repeated", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = await server.listen();
  const body = JSON.stringify({ path: sample.image });
  /** What is foreign, what is harmless beside it, and the statuses alone and with a second one. */
  const table: [foreign: Line, harmless: Line, alone: number, doubled: number][] = [
    [["Host", "evil.example"], HOST, 403, 403],
    [["Host", ""], HOST, 403, 403],
    [["Origin", "https://evil.example"], ["Origin", "http://127.0.0.1"], 403, 400],
    [["Origin", "null"], ["Origin", "http://localhost:3000"], 403, 400],
    [["Origin", ""], ["Origin", "http://127.0.0.1"], 403, 400],
    [["Sec-Fetch-Site", "cross-site"], ["Sec-Fetch-Site", "same-origin"], 403, 400],
    [["Sec-Fetch-Site", "same-site"], ["Sec-Fetch-Site", "none"], 403, 400],
    [["Sec-Fetch-Site", "CROSS-SITE"], ["Sec-Fetch-Site", "none"], 403, 400],
    [["Sec-Fetch-Site", ""], ["Sec-Fetch-Site", "none"], 403, 400],
    [["Content-Type", "text/plain"], JSON_TYPE, 415, 400],
    [["Content-Type", ""], JSON_TYPE, 415, 400],
    [["Content-Type", "text/plain"], ["Content-Type", "application/json; x="], 415, 400],
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
  await using socket = await server.listen();
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
    assert.equal(await ask(lines), 400);
  }
  assert.deepEqual(titles, []);
});

Deno.test("answers a repeated Range with the whole plane", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = await server.listen();
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

/** Malformed requests with the messages of their answers. */
const REFUSED: [request: string | readonly string[], status: number, message: RegExp][] = [
  ["garbage\r\n\r\n", 400, /malformed/],
  ["BREW /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, /method.* malformed/],
  [`${START}no colon\r\n\r\n`, 400, /header is malformed/],
  [`${START}Expect: x\r\nContent-Length: 2\r\n\r\n{}`, 417, /expectation "x"/],
  [`${START}Expect: x\r\nContent-Length: 2\r\n\r\n`, 417, /expectation/],
  [`${START}Expect:\r\nContent-Length: 2\r\n\r\n{}`, 417, /expectation/],
  [`${START}Expect: 100-continue\r\nExpect: x\r\nContent-Length: 2\r\n\r\n{}`, 417, /expectation/],
  ["GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nExpect: y\r\n\r\n", 417, /expectation/],
  [`${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`, 400, /body is malformed/],
  [[CHUNKED, "zz\r\n{}\r\n0\r\n\r\n"], 400, /body is malformed/],
  [[CHUNKED, "2\r\n{}\r\n", "-1\r\n\r\n"], 400, /body is malformed/],
  [`${CHUNKED}2\r\n{}}\r\n0\r\n\r\n`, 400, /body is malformed/],
  [`${CHUNKED}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`, 400, /body is malformed/],
  [`${CHUNKED}0x2\r\n{}\r\n0\r\n\r\n`, 400, /body is malformed/],
  [`${CHUNKED}2\n{}\n0\n\n`, 400, /body is malformed/],
  [`${CHUNKED}2\r\n{}\r\n0\r\nA: ${"a".repeat(100_000)}\r\n\r\n`, 431, /headers/],
  ...["xchunked", "identity", "gzip, chunked", "chunked;q=1", '"chunked"', ""].map((
    coding,
  ): [string, number, RegExp] => [
    `${START}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    501,
    /Unknown transfer coding/,
  ]),
  [`${START}Transfer-Encoding: xchunked\r\n\r\n`, 501, /coding "xchunked"/],
  [`${START}Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 501, /"gzip, chunked"/],
  [`${START}Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 501, /", chunked"/],
  [`${START}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`, 400, /malformed/],
  [`${START}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}`, 400, /malformed/],
  [`${START}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, /malformed/],
  [`${START}Content-Length: 2\r\nTransfer-Encoding: xchunked\r\n\r\n{}`, 400, /HTTP\/1\.1/],
  ...["2, 2", "+2", "-2", "0x2", "2;", "", '"2"', "9".repeat(30)].map((length): [string, number, RegExp] => [
    `${START}Content-Length: ${length}\r\n\r\n{}`,
    400,
    /malformed/,
  ]),
  [`${START}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 400, /malformed/],
  [`${START}A: b\0c\r\n\r\n`, 400, /malformed/],
  [`${START}A: b\rOrigin: https://evil.example\r\n\r\n`, 400, /malformed/],
  [`${START}A: b\nOrigin: https://evil.example\r\n\r\n`, 400, /malformed/],
  [`${START}A(b): c\r\n\r\n`, 400, /malformed/],
  [`${START}\xe9: c\r\n\r\n`, 400, /malformed/],
  [`${START}: c\r\n\r\n`, 400, /malformed/],
  ["GET /api/v2/health HTTP/1.1\nHost: localhost\n\n", 400, /malformed/],
  ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, /malformed/],
];

Deno.test("answers a malformed request with the envelope and common headers, and ends the connection", async () => {
  await using server = new Harness();
  await using socket = await server.listen();
  for (const [request, status, said] of REFUSED) {
    const sent = typeof request === "string" ? [request] : request;
    const what = JSON.stringify(sent).slice(0, 300);
    const answer = parts(await raw(socket.port, ...sent));
    assert.equal(answer.status, status, what);
    for (
      const line of [
        "content-type: application/json",
        "access-control-allow-origin: *",
        "x-content-type-options: nosniff",
      ]
    ) assert(answer.head.includes(line), `${what}: ${answer.head}`);
    assert.equal(answer.head.match(/^content-length: (\d+)$/m)?.[1], String(answer.body.length), what);
    const { ok, error, message, details } = JSON.parse(answer.body);
    assert.equal(ok, false);
    assert.match(message, said, what);
    assert.deepEqual([error, details], ["request_validation_failed", []], what);
  }
  assert.equal((await (await fetch(`${socket.base}/api/v2/health`)).json()).ok, true);
  assert.equal(server.pool.counts.busy, 0);
});

Deno.test("rejects a malformed second request after the answer to the first", async () => {
  await using server = new Harness();
  await using socket = await server.listen();
  const first = "GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const seconds: [string, number][] = [
    ["garbage\r\n\r\n", 400],
    [`${CHUNKED}zz\r\n`, 400],
    [`${START}Expect: x\r\n\r\n`, 417],
    [`${START}Transfer-Encoding: x\r\n\r\n${"y".repeat(100_000)}`, 501],
  ];
  for (const [second, status] of seconds) {
    const answer = await raw(socket.port, first + second);
    assert.match(
      answer,
      new RegExp(`^HTTP/1\\.1 200 .*"ok":true[^]*}HTTP/1\\.1 ${status} .*"ok":false`, "s"),
      second,
    );
  }
});

Deno.test("accepts valid HTTP: 100-continue, Chunked, an ignored upgrade", async () => {
  await using sample = await sampleFolder();
  await using server = new Harness();
  await using socket = await server.listen();
  const body = JSON.stringify({ path: sample.image });
  const chunks = `${body.length.toString(16)};name=value\r\n${body}\r\n0\r\n\r\n`;
  const length = `Content-Length: ${body.length}\r\n`;
  const requests = [
    `${START}Connection: close\r\nExpect: 100-Continue\r\n${length}\r\n${body}`,
    `${START}Connection: close\r\nTransfer-Encoding: \t Chunked \r\n\r\n${chunks}`,
    `${START}Connection: upgrade, close\r\nUpgrade: websocket\r\n${length}\r\n${body}`,
    `${START}Connection: close\r\nOrigin_: https://evil.example\r\nSec_Fetch_Site: cross-site\r\n${length}\r\n${body}`,
  ];
  for (const request of requests) assert.equal(parts(await raw(socket.port, request)).status, 200, request);
});

Deno.test("answers a request that does not arrive in time, and ends its connection", async () => {
  await using server = new Harness();
  await using socket = await server.listen({ requestTimeoutMs: 300 });
  const starts = [
    "",
    "GET /api/v2/health HT",
    "GET /api/v2/health HTTP/1.1\r\nHost: localhost\r\nA: ",
    `${CHUNKED}2\r\n{`,
  ];
  await Promise.all(starts.map(async (start) => {
    const { status, body } = parts(await raw(socket.port, start));
    assert.equal(status, 400, start);
    assert.match(JSON.parse(body).message, /did not arrive in time/);
  }));
});
