/**
 * Starts a server and does what a client does, on a sample line scan and a sample time series or on the path that is given: it
 * opens the file, fetches planes and deletes the session. Then it keeps serving.
 *
 * usage: deno run -q -P=demo examples/walk_through.ts [PATH], which fetches only the packages that it runs, or deno task demo [PATH]
 */
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { type RunningServer, startServer, stopOnSignals } from "../main.ts";
import { DEFAULTS } from "../cli/command_line.ts";
import { escapeControls } from "../cli/log.ts";
import type { OpenResponse } from "../schemas/http.ts";
import { drawPlane, hasPictures } from "./terminal_picture.ts";

type Opened = z.infer<typeof OpenResponse>;
type Channel = Opened["channels"][number];

const SAMPLES = ["./line_scan.oir", "./time_series.ome.tif"].map((name) =>
  fileURLToPath(new URL(name, import.meta.url))
);

/** Prints a line, cut so that it does not wrap. */
function say(text = ""): void {
  const line = escapeControls(text);
  console.log(line.length > 200 ? `${line.slice(0, 199)}…` : line);
}

/** Starts a server on the usual port, or on a free one if that is taken. */
async function startHere(): Promise<RunningServer> {
  const rules = { ...DEFAULTS, logLevel: "warn" } as const;
  try {
    return await startServer(rules);
  } catch (error) {
    if ((error as { code?: string }).code !== "EADDRINUSE") throw error;
    return await startServer({ ...rules, port: 0 });
  }
}

/** Opens a path, fetches planes of it and deletes the session. @param draws whether to draw the first plane */
async function visit(baseUrl: string, path: string, draws: boolean): Promise<void> {
  say(`\nPOST /api/v2/open  {"path": "…/${basename(path)}"}`);
  const opened: Opened | { ok: false; error: string; message: string } = await (await fetch(
    `${baseUrl}/api/v2/open`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ path }),
    },
  )).json();
  if (!opened.ok) return say(`  ${opened.error}: ${opened.message}`);
  const { source, header, plane, channels, reference, warnings, sessionId } = opened;
  const [rows, columns] = plane.shape;
  const sizes = header.dims.map((name) => `${name} ${header.sizes[name]}`).join(", ");
  say(`  ${source.format}, ${source.sourceDtype}; ${sizes}; channels ${nameList(channels)}`);
  say(
    `  planes of ${rows} rows (${axisText(plane.axes[0])}) by ${columns} columns (${
      axisText(plane.axes[1])
    })`,
  );
  if (warnings.length > 0) say(`  ${warnings.length} warnings, the first: ${warnings[0]}`);
  const first = await fetchPlane(baseUrl, channels[0]!);
  if (draws && hasPictures()) console.log(drawPlane(first, rows, columns));
  if (channels.length > 1) await fetchPlane(baseUrl, channels[1]!);
  const last = lastPosition(header);
  if (last !== "") await fetchPlane(baseUrl, channels[0]!, `?${last}`);
  if (reference) await fetchPlane(baseUrl, reference.channels[0]!);
  await (await fetch(`${baseUrl}/api/v2/sessions/${sessionId}`, { method: "DELETE" })).body?.cancel();
  say(`DELETE /api/v2/sessions/${sessionId.slice(0, 8)}…`);
}

const nameList = (channels: readonly Channel[]) =>
  channels.length > 4 ? `${channels.length}` : channels.map(({ name }) => name).join(", ");

/** The end of the axes T, L and Z that the file has, as a query. */
const lastPosition = ({ sizes }: Opened["header"]) =>
  (["T", "L", "Z"] as const).filter((axis) => (sizes[axis] ?? 1) > 1)
    .map((axis) => `${axis.toLowerCase()}=${sizes[axis]! - 1}`).join("&");

async function fetchPlane(
  baseUrl: string,
  { dataUrl, byteLength, name }: Pick<Channel, "dataUrl" | "byteLength" | "name">,
  query = "",
): Promise<Float32Array> {
  const bytes = await (await fetch(baseUrl + dataUrl + query)).arrayBuffer();
  if (bytes.byteLength !== byteLength) throw new Error(`${bytes.byteLength} bytes, expected ${byteLength}`);
  // The terminal's machine is the server's, and those are little-endian; other clients use a DataView.
  const plane = new Float32Array(bytes);
  const asked = `GET ${dataUrl.replace(/(?<=sessions\/\w{8})\w+/, "…")}${query}`;
  say(`${asked}  ${name}: ${plane.length} samples, ${statistics(plane)}`);
  return plane;
}

const axisText = ({ step, unit }: Opened["plane"]["axes"][number]) =>
  `${Number(step.toPrecision(4))} ${unit} each`;

function statistics(plane: Float32Array): string {
  let [least, most, sum] = [Infinity, -Infinity, 0];
  for (const value of plane) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
  }
  return `${least} to ${most}, mean ${Number((sum / plane.length).toPrecision(6))}`;
}

// `fetch` reads the proxy of the environment when it is first called; a proxy cannot reach this machine.
Deno.env.set("NO_PROXY", `127.0.0.1,${Deno.env.get("NO_PROXY") ?? ""}`);
const server = await startHere();
say(`acq-server serves at ${server.baseUrl}/demo/v2/`);
const given = Deno.args.find((argument) => argument !== "--");
for (const [i, path] of (given === undefined ? SAMPLES : [resolve(given)]).entries()) {
  await visit(server.baseUrl, path, i === 0);
}
stopOnSignals(server);
say(`\nOpen ${server.baseUrl}/demo/v2/ in a browser. Press Ctrl+C to stop.`);
