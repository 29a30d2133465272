/**
 * Starts a server on a free port and walks through what a client does, on a sample line scan and a sample stack or on the path
 * that is given: health, capabilities, open, fetch each channel, another position, another scene, read the session, delete it.
 * Then keeps serving.
 *
 * usage: deno task demo [PATH]
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { startServer, stopOnSignals } from "../main.ts";
import { DEFAULTS } from "../cli/command_line.ts";
import { printable } from "../cli/log.ts";
import type { OpenResponse } from "../schemas/http.ts";
import { drawPlane, type Point } from "./terminal_picture.ts";

type Opened = z.infer<typeof OpenResponse>;

const SAMPLES = ["./line_scan.oir", "./time_series.ome.tif"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url))
);

const say = (text = "") => console.log(printable(text));

/** Prints a request, and gives its JSON answer. */
async function ask(baseUrl: string, method: string, url: string, body?: unknown) {
  say(`\n> ${method} ${url}${body === undefined ? "" : `  ${JSON.stringify(body)}`}`);
  const response = await fetch(baseUrl + url, {
    method,
    ...(body !== undefined &&
      { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
  return await response.json();
}

async function walk(baseUrl: string, paths: readonly string[]): Promise<void> {
  const call = (method: string, url: string) => ask(baseUrl, method, url);
  const health = await call("GET", "/api/v2/health");
  say(`  acq-server ${health.server_version} speaks contract ${health.api_version}`);

  const capabilities = await call("GET", "/api/v2/capabilities");
  say(`  opens ${capabilities.supportedImportExtensions.join(" ")}`);
  say(
    `  serves ${capabilities.binary.servedDtype}, ${capabilities.binary.layout}; a session lives ${capabilities.sessionTtlSeconds} s`,
  );

  for (const path of paths) await visit(baseUrl, path);
}

async function visit(baseUrl: string, path: string): Promise<void> {
  const call = (method: string, url: string, body?: unknown) => ask(baseUrl, method, url, body);
  const opened = await call("POST", "/api/v2/open", { path });
  if (!opened.ok) {
    say(`  ${opened.error}: ${opened.message}`);
    return;
  }
  describe(opened);
  const planes = await fetchChannels(baseUrl, opened.channels);
  const [rows, columns] = opened.plane.shape;
  say(
    `\n  ${opened.channels[0]!.name}, transposed: Y ${axisText(opened.plane.axes[0])} runs to the right, X ${
      axisText(opened.plane.axes[1])
    } down`,
  );
  console.log(drawPlane(planes[0]!, rows, columns));
  if (opened.reference) await showReference(baseUrl, opened.reference);
  await showLastPosition(baseUrl, opened);
  if (opened.sceneCount > 1) {
    const other = await call("POST", `/api/v2/sessions/${opened.sessionId}/open`, { scene: 1 });
    describe(other);
    await call("DELETE", `/api/v2/sessions/${other.sessionId}`);
  }

  const session = await call("GET", `/api/v2/sessions/${opened.sessionId}`);
  say(
    `  holds channels ${session.channelIndices.join(", ")} in ${session.totalBytes} bytes for ${
      session.ttlSecondsRemaining.toFixed(0)
    } s more`,
  );

  const deleted = await call("DELETE", `/api/v2/sessions/${opened.sessionId}`);
  say(`  deleted: ${deleted.deleted}`);
}

/** Fetches the first channel at the end of each of the axes T, L and Z that the file has. */
async function showLastPosition(baseUrl: string, { header, channels, plane }: Opened): Promise<void> {
  const last = (["T", "L", "Z"] as const).flatMap((axis) => {
    const size = header.sizes[axis] ?? 1;
    return size > 1 ? [`${axis.toLowerCase()}=${size - 1}`] : [];
  });
  if (last.length === 0) return;
  const [first] = channels;
  const [there] = await fetchChannels(baseUrl, [
    {
      ...first!,
      name: `${first!.name} at ${last.join(", ")}`,
      dataUrl: `${first!.dataUrl}?${last.join("&")}`,
    },
  ]);
  console.log(drawPlane(there!, plane.shape[0], plane.shape[1]));
}

function describe(opened: Opened): void {
  const { source, header, plane, channels, reference, warnings, sessionId } = opened;
  const { scene, sceneCount, scenes } = opened;
  const steps = header.dims.map((dim, i) =>
    `${dim} ${header.sizes[dim]} x ${Number(header.physicalUnits[i]!.toPrecision(6))} ${
      header.physicalUnitsLabels[i]
    }`
  );
  say(`  session   ${sessionId}`);
  say(
    `  source    ${source.name}, ${source.format}, ${source.sourceDtype}, ${source.numChannels} channels, ${
      header.fileSize || "directory"
    }`,
  );
  say(`  acquired  ${[header.date, header.time].filter((part) => part !== "").join(" ") || "unknown"}`);
  say(`  header    ${steps.join(" | ")}`);
  if (sceneCount > 1) {
    const names = scenes.map(({ index, name }) => `${index} ${name}`).join(", ");
    say(`  scene     ${scene} of ${sceneCount}: ${names}`);
  }
  say(`  plane     ${plane.shape[0]} rows x ${plane.shape[1]} columns`);
  say(`  channels  ${channels.map((channel) => `${channel.index} ${channel.name}`).join(", ")}`);
  say(
    reference
      ? `  reference ${reference.plane.shape.join(" x ")}, line ${JSON.stringify(reference.lineRoi)}`
      : "  reference none",
  );
  for (const warning of warnings) say(`  warning   ${warning}`);
}

async function fetchChannels(baseUrl: string, channels: Opened["channels"]): Promise<Float32Array[]> {
  const planes: Float32Array[] = [];
  for (const { dataUrl, byteLength, name } of channels) {
    say(`\n> GET ${dataUrl}`);
    const bytes = await (await fetch(baseUrl + dataUrl)).arrayBuffer();
    if (bytes.byteLength !== byteLength) throw new Error(`${bytes.byteLength} bytes, expected ${byteLength}`);
    // The terminal's machine is the server's, and those are little-endian; other clients use a DataView.
    const plane = new Float32Array(bytes);
    say(`  ${name}: ${plane.length} samples, ${statistics(plane)}`);
    planes.push(plane);
  }
  return planes;
}

async function showReference(
  baseUrl: string,
  { plane, channels, scanPath, lineRoi }: NonNullable<Opened["reference"]>,
) {
  const [reference] = await fetchChannels(baseUrl, channels);
  const path: Point[] = scanPath
    ? scanPath.x.map((x, i) => ({ x, y: scanPath.y[i]! }))
    : lineRoi
    ? [{ x: lineRoi[0], y: lineRoi[1] }, { x: lineRoi[2], y: lineRoi[3] }]
    : [];
  say("\n  Reference image, transposed as well, with the path of the laser");
  console.log(drawPlane(reference!, plane.shape[0], plane.shape[1], path));
}

function axisText({ size, step, unit }: Opened["plane"]["axes"][number]): string {
  return `(${Number((size * step).toPrecision(4))} ${unit})`;
}

function statistics(plane: Float32Array): string {
  let [least, most, sum] = [Infinity, -Infinity, 0];
  for (const value of plane) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
  }
  return `minimum ${least}, maximum ${most}, mean ${Number((sum / plane.length).toPrecision(6))}`;
}

const server = await startServer({ ...DEFAULTS, port: 0, logLevel: "warn" });
say(`acq-server listens at ${server.baseUrl}`);
const given = Deno.args.find((argument) => argument !== "--");
await walk(server.baseUrl, given === undefined ? SAMPLES : [resolve(given)]);
stopOnSignals(server);
say(
  `\nThe server goes on: open ${server.baseUrl}/demo/v2/ in a browser, or ${server.baseUrl}/docs. Press Ctrl+C to stop.`,
);
