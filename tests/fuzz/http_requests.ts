/**
 * Random requests over every path and method of the served OpenAPI document, as bytes on a socket. Every failure must
 * be an envelope, except for what the runtime refuses with 400; no answer an internal error, every status one that the
 * document names, and nothing may be left over.
 */
import { Buffer } from "node:buffer";
import { ErrorBody } from "../../schemas/http.ts";
import { Harness, sampleFolder } from "../contract/harness.ts";
import { until } from "../deadline.ts";
import { mutate } from "./mutations.ts";
import { Random } from "./random.ts";

export interface HttpTotals {
  readonly cases: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly findings: readonly { readonly case: number; readonly what: string }[];
  readonly seconds: number;
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const METHODS = ["GET", "GET", "HEAD", "POST", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE", "QUERY"];

const NAMES = [
  "",
  "0",
  "1",
  "-1",
  "7",
  "1.5",
  "00",
  "1e3",
  "99999999999999999999",
  "NaN",
  "..",
  ".",
  "%2e%2e%2f",
  "%00",
  "%zz",
  "%",
  "%ff",
  "é",
  "a b".replace(" ", "%20"),
  "__proto__",
  "constructor",
  "toString",
  "constructor.json",
  "index.html",
  "style.css",
  "swagger-ui.css",
  "collection.json",
  "x".repeat(300),
  "..%5c..%5cdeno.json",
  "deno.json",
  "data",
  "data/",
  "?x=1",
  "*",
  ";a=b",
];

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  "",
  " ",
  "x",
  "\0",
  "/",
  "/proc/self/mem",
  "/dev/zero",
  "relative",
  "\ud800",
  [],
  [0],
  [0, 0],
  [1, 0],
  [9],
  ["0"],
  [null],
  [".tif"],
  [".TIF", ".tif"],
  ["tif"],
  {},
  { length: 1 },
];

const HEADERS: Readonly<Record<string, readonly string[]>> = {
  Host: ["localhost", "127.0.0.1:1", "[::1]", "evil.example", "127.0.0.1.evil.example", "", "localhost:x"],
  Origin: ["null", "http://localhost:3", "https://evil.example", "file://", "http://[", "x"],
  Range: [
    "bytes=0-3",
    "bytes=-1",
    "bytes=9999999-",
    "bytes=3-1",
    "bytes=0-1,3-4",
    "lines=1",
    "bytes=-0",
    "bytes=",
  ],
  "If-Range": ['"x"', "yesterday"],
  "Content-Type": [
    "application/json",
    "application/json; charset=utf-8",
    "application/json;charset=latin1",
    "text/plain",
    "",
    ";",
    "multipart/form-data",
  ],
  "Access-Control-Request-Method": ["POST", "X"],
  "Access-Control-Request-Headers": ["content-type", "x, y", "é"],
  "Access-Control-Request-Private-Network": ["true"],
  "Accept-Encoding": ["gzip, br", "identity;q=0"],
  Expect: ["100-continue", "100-Continue", "x", ""],
  "Sec-Fetch-Site": ["cross-site", "same-site", "Cross-Site", "same-origin", "none", ""],
  "Transfer-Encoding": ["chunked", "Chunked", "xchunked", "identity", "gzip, chunked", "chunked, gzip", ""],
  "Content-Length": ["0", "5", "+5", "-1", "5, 5", "x", "99999999999999999999"],
  "X-Long": ["y".repeat(5000)],
  Cookie: ["a=b"],
  "If-None-Match": ["*"],
};

/** Runs cases until their number or the time is reached. */
export async function fuzzHttp(
  { seed, cases = 1e9, seconds = Infinity }: { seed: number; cases?: number; seconds?: number },
): Promise<HttpTotals> {
  const start = performance.now();
  const outcomes: Record<string, number> = {};
  const findings: { case: number; what: string }[] = [];
  await using sample = await sampleFolder();
  let chooser = new Random(seed);
  await using server = new Harness({
    maxSessionMemory: 1 << 20,
    pick: () => Promise.resolve(chooser.of([null, sample.image, `${sample.folder}/none.tif`])),
  });
  await using socket = server.listen();
  const document = await (await fetch(`${socket.base}/openapi.json`)).json();
  const paths = document.paths as Paths;
  let ids: string[] = [];
  let n = 0;
  for (; n < cases && performance.now() - start < seconds * 1000; n += 1) {
    const random = chooser = new Random(seed, n);
    const sent = request(random, paths, ids, sample.image);
    const { method, bytes } = sent;
    const answer = await send(socket.port, bytes, method, sent.isOdd);
    const what = judge(sent, answer, paths);
    outcomes[answer?.status ?? "none"] = (outcomes[answer?.status ?? "none"] ?? 0) + 1;
    if (what !== null) {
      findings.push({ case: n, what: `${what}\n${new TextDecoder().decode(bytes).slice(0, 600)}` });
    }
    const opened = answer?.status === 200 && /"sessionId":\s*"([0-9a-f]{32})"/.exec(answer.body)?.[1];
    if (opened) ids = [...ids, opened].slice(-5);
    // Dialogs that one page had cancelled are refused for a while.
    server.clock.move(1000);
  }
  const errors = server.logged.filter((line) => /internal_error|^\S+ error /i.test(line));
  if (errors.length > 0) findings.push({ case: n, what: `logged: ${errors.slice(0, 3).join("\n")}` });
  for (const id of new Set(ids)) {
    await (await fetch(`${socket.base}/api/v2/sessions/${id}`, { method: "DELETE" })).text();
  }
  server.store.close();
  await until(() => server.budget.used === 0, "the release of all memory");
  const { busy, lost, waiting } = server.pool.counts;
  if (busy + lost + waiting > 0) {
    findings.push({ case: n, what: `workers: ${busy} busy, ${lost} lost, ${waiting} waiting` });
  }
  return { cases: n, outcomes, findings, seconds: (performance.now() - start) / 1000 };
}

function request(random: Random, paths: Paths, ids: readonly string[], image: string) {
  const template = random.of(
    Object.keys(paths).flatMap((path) => path.includes("open") ? [path, path, path] : [path]),
  );
  const documented = Object.keys(paths[template]!).map((name) => name.toUpperCase());
  const method = random.of(random.oneIn(3) ? METHODS : documented);
  let target = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === "session_id" && ids.length > 0 && !random.oneIn(3)) return random.of(ids);
    if (name === "channel_index" && !random.oneIn(3)) return random.of(["0", "1"]);
    return random.of(NAMES);
  });
  if (random.oneIn(12)) target += random.of(["/", "?", "?a=%", "//", "#x", `/${random.of(NAMES)}`]);
  if (random.oneIn(40)) {
    target = random.of(["*", "//", "/api", "/api/v2/", "/%", "http://localhost/api/v2", "/api/v2//"]);
  }
  const body = method === "POST" || random.oneIn(10) ? bodyOf(random, image) : new Uint8Array();
  const headers: [string, string][] = [["Host", "127.0.0.1"], ["Connection", "close"]];
  if (body.length > 0 || random.oneIn(4)) {
    headers.push(["Content-Type", "application/json"], ["Content-Length", String(body.length)]);
  }
  for (let i = random.below(4); i > 0; i -= 1) {
    const name = random.of(Object.keys(HEADERS));
    const same = headers.findIndex(([other]) => other === name);
    if (same >= 0 && !random.oneIn(4)) continue;
    if (same >= 0 && !random.oneIn(3)) headers.splice(same, 1);
    if (!random.oneIn(10) || name === "Host") headers.push([name, random.of(HEADERS[name]!)]);
  }
  if (random.oneIn(30)) {
    const count = random.of([80, 95, 100, 120, 990, 1000, 1010, 2000]);
    headers.splice(random.below(headers.length + 1), 0, ...Array(count).fill(["X", "a"]));
  }
  for (const header of headers) if (random.oneIn(8)) header[0] = header[0].toUpperCase();
  if (random.oneIn(4)) headers.sort(() => random.oneIn(2) ? 1 : -1);
  const head = `${method} ${target.replaceAll(" ", "%20")} HTTP/1.1\r\n${
    headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  }\r\n`;
  const start = new TextEncoder().encode(head);
  let bytes: Uint8Array = new Uint8Array(start.length + body.length);
  bytes.set(start);
  bytes.set(body, start.length);
  const isChanged = random.oneIn(12);
  if (isChanged) bytes = mutate(bytes, random, new TextEncoder().encode(head)).bytes;
  const names = headers.map(([name]) => name.toLowerCase());
  const isOdd = isChanged || headers.length > 100 || new Set(names).size < names.length ||
    names.includes("transfer-encoding") ||
    headers.some(([name, value]) =>
      /^expect$/i.test(name) && !/^100-continue$/i.test(value) ||
      /^content-length$/i.test(name) && value !== String(body.length)
    );
  const isForeign = !isChanged &&
    headers.some(([name, value]) =>
      /^origin$/i.test(name) && value !== "http://localhost:3" ||
      /^sec-fetch-site$/i.test(name) && !/^(same-origin|none)$/.test(value) && !names.includes("origin")
    );
  return { method, template, target, bytes, isOdd, isForeign };
}

/** One request, with what may be expected of its answer. */
interface Sent {
  readonly method: string;
  readonly template: string;
  readonly target: string;
  readonly bytes: Uint8Array;
  /** Its head or its framing may be none of HTTP. */
  readonly isOdd: boolean;
  /** A page that may open nothing by path says that it asks. */
  readonly isForeign: boolean;
}

function bodyOf(random: Random, image: string): Uint8Array {
  const text = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
  const valid = random.of([{ path: image }, { path: image, channelIndices: [1] }, {}, {
    extensions: [".tif", ".zarr"],
  }]);
  switch (random.below(5)) {
    case 0:
      return text(random.of(VALUES));
    case 1: {
      const fields = ["path", "channelIndices", "extensions", "other", "__proto__"];
      return text(
        Object.fromEntries([[random.of(fields), random.of(VALUES)], [random.of(fields), random.of(VALUES)]]),
      );
    }
    case 2:
      return text({ ...valid, [random.of(["path", "channelIndices", "extensions"])]: random.of(VALUES) });
    case 3:
      return random.oneIn(20)
        ? new Uint8Array((1 << 20) + 1)
        : mutate(text(valid), random, text(random.of(VALUES))).bytes;
    default:
      return text(valid);
  }
}

/**
 * Sends bytes and reads until the server closes; `null` when it answers nothing. A request that may have no end is
 * given a moment, then its side of the connection is closed.
 */
async function send(port: number, bytes: Uint8Array, method: string, isOdd: boolean): Promise<Answer | null> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const enough = isOdd ? setTimeout(() => void connection.closeWrite().catch(() => {}), 200) : undefined;
  const writing = (async () => {
    try {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    } catch {
      // The server may answer and close before it has read a body that is too large.
    }
  })();
  const chunks: Uint8Array[] = [];
  const chunk = new Uint8Array(1 << 16);
  try {
    for (let count = await connection.read(chunk); count !== null; count = await connection.read(chunk)) {
      chunks.push(chunk.slice(0, count));
    }
  } catch {
    // What has arrived is judged.
  }
  clearTimeout(enough);
  await writing;
  const text = Buffer.concat(chunks).toString("latin1").replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "");
  const end = text.indexOf("\r\n\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (end < 0 || status === undefined) return null;
  const lines = text.slice(0, end).split("\r\n").slice(1).map((line) => line.split(/:\s*(.*)/s));
  const headers = new Headers(lines.map(([name, value]) => [name!, value ?? ""] as [string, string]));
  const length = headers.get("content-length");
  // What is left of an odd request may be answered after it.
  let body = text.slice(end + 4, isOdd && length !== null ? end + 4 + Number(length) : undefined);
  if (headers.get("transfer-encoding") === "chunked" && method !== "HEAD") {
    body = body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, "");
  }
  return { status: Number(status), headers, body };
}

/** What is wrong with an answer, or `null`. */
function judge(
  { method, template, target, isOdd, isForeign }: Sent,
  answer: Answer | null,
  paths: Paths,
): string | null {
  // Who closes a connection before the end of a request gets no answer.
  if (answer === null) return isOdd ? null : "no answer";
  const { status, headers, body } = answer;
  if (isForeign && method === "POST" && /^\/api\/v2\/open$/.test(target) && status === 200) {
    return "a foreign page opened a path";
  }
  // Such a target is not HTTP; the layer below the application answers it.
  const malformed = /[^\x21-\x7e]/.test(target);
  if (status === 400) return malformed || isOdd ? null : "400 for what is HTTP";
  if (headers.get("access-control-allow-origin") !== "*") return `${status} without the common headers`;
  const length = headers.get("content-length");
  if (!isOdd && method !== "HEAD" && length !== null && Number(length) !== body.length) {
    return `${status} with ${body.length} of ${length} bytes`;
  }
  if (status >= 400) {
    if (method === "HEAD" && !body.startsWith("{")) return null;
    let envelope: unknown;
    try {
      envelope = JSON.parse(
        Buffer.from(body, "latin1").toString(),
      );
    } catch {
      return `${status} without an envelope: ${body.slice(0, 200)}`;
    }
    const judged = ErrorBody.safeParse(envelope);
    if (!judged.success) return `${status} with a wrong envelope: ${body.slice(0, 200)}`;
    if (judged.data.error === "internal_error") return `${status} ${judged.data.error}`;
  }
  const type = headers.get("content-type");
  if (body !== "" && !/^[a-z]+\/[a-z+-]+(; charset=utf-8)?$/.test(type ?? "")) {
    return `${status} as "${type}"`;
  }
  const exact = target.startsWith("/") && template.split("/").length === target.split("/").length &&
    !/[?#]|\/$|\/\.\.?(\/|$)/.test(target);
  const operation = paths[template]![(method === "HEAD" ? "GET" : method).toLowerCase()];
  if (
    exact && operation && !malformed && !isOdd && status !== 404 && !(String(status) in operation.responses)
  ) {
    return `${status} is not among the answers of ${method} ${template}`;
  }
  return null;
}
