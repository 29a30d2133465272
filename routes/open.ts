/** `POST /api/v2/open` and `POST /api/v2/pick-and-open` with their common answer, and `POST /api/v2/list`. */
import { isAbsolute } from "node:path";
import { PathNotAllowed, quoted, UnsupportedFormat } from "../readers/errors.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/formats.ts";
import { ClientGone, ShuttingDown } from "../session/errors.ts";
import { describeSession } from "../session/open_response.ts";
import type { Session } from "../session/store.ts";
import { makeDialogTitle } from "../session/dialog/dialog_limits.ts";
import { Cancelled } from "./errors.ts";
import { checkOrigin, findAskingOrigin, isLoopbackOrigin } from "./guard.ts";
import { readBody, reportFaulty } from "./request_body.ts";
import { readPathParameter, type RequestContext, respondWithJson, type Services } from "./context.ts";

/** Opens an acquisition by path. */
export async function openByPath(c: RequestContext, services: Services): Promise<Response> {
  requireRunning(services);
  const { path, channelIndices = null, scene = null } = await readBody(
    c.req.raw,
    services.clock,
    "OpenRequest",
    false,
  );
  requireMayName(path, c, services);
  const { signal } = c.req.raw;
  const session = await services.opener.open({ path, channelIndices, scene, chosenByUser: false, signal });
  return answerOpen(c, services, session);
}

/** Lists the acquisitions and folders in a folder. The folder's path is validated like a path to open. */
export async function answerFolderListing(c: RequestContext, services: Services): Promise<Response> {
  requireRunning(services);
  const { path, contains } = await readBody(c.req.raw, services.clock, "ListRequest", false);
  requireMayName(path, c, services);
  const listing = await services.opener.list(path, c.req.raw.signal, contains);
  return respondWithJson({ ok: true, apiVersion: "v2", ...listing }, 200, { "Cache-Control": "no-store" });
}

/**
 * Checks that the client may name a path, before anything looks at it. `at` is its place in the body.
 *
 * @throws {RequestValidationFailed | OriginNotAllowed | PathNotAllowed}
 */
export function requireMayName(
  path: string,
  c: RequestContext,
  services: Services,
  at: readonly string[] = ["path"],
): void {
  if (!isAbsolute(path)) {
    throw reportFaulty(
      at,
      `must be an absolute path; ${quoted(path)} is relative and ~ is not expanded`,
      "path_not_absolute",
    );
  }
  checkOrigin(findAskingOrigin(c.req.raw.headers), services.allowedOrigins);
  if (services.dialogOnly) {
    throw new PathNotAllowed(
      "This server only opens files through its dialog; use POST /api/v2/pick-and-open",
    );
  }
}

/** Opens the acquisition of a live session again, for example another scene. */
export async function openAgain(c: RequestContext, services: Services): Promise<Response> {
  requireRunning(services);
  const { headers, signal } = c.req.raw;
  const isScript = findAskingOrigin(headers) === undefined;
  const { channelIndices = null, scene = null } = await readBody(
    c.req.raw,
    services.clock,
    "OpenAgainRequest",
    isScript,
  );
  const session = services.store.get(readPathParameter(c, "session_id"));
  const choice = { channelIndices, scene, isForeign: findForeignOrigin(c) !== null, signal };
  return answerOpen(c, services, await services.opener.openAgain(session, choice));
}

/** Opens an acquisition that the user chooses in a native file dialog. */
export async function pickAndOpen(c: RequestContext, services: Services): Promise<Response> {
  requireRunning(services);
  const { headers, signal } = c.req.raw;
  const { channelIndices = null, scene = null, extensions = null } = await readBody(
    c.req.raw,
    services.clock,
    "PickRequest",
    findAskingOrigin(headers) === undefined,
  );
  const foreign = findForeignOrigin(c);
  const asked = {
    title: makeDialogTitle(foreign),
    extensions: chooseDialogFilter(extensions, services.allowedExtensions),
    asker: findAskingOrigin(headers) ?? null,
    signal,
    admit: () => services.dialogLimits.check(foreign !== null),
  };
  asked.admit();
  const path = await services.picker.pick(asked).catch((error: unknown) => {
    // A page that leaves closes its dialog; uncounted, it could open dialogs again and again.
    if (error instanceof ClientGone) services.dialogLimits.cancelled(foreign !== null);
    throw error;
  });
  if (path === null) {
    services.dialogLimits.cancelled(foreign !== null);
    throw new Cancelled("No file was chosen");
  }
  const isForeign = foreign !== null;
  const order = { path, channelIndices, scene, chosenByUser: true, isForeign, signal };
  const session = await services.opener.open(order);
  return answerOpen(c, services, session);
}

/** The origin of a request that neither a script nor the server's own page sends, or `null`. */
function findForeignOrigin(c: RequestContext): string | null {
  const origin = findAskingOrigin(c.req.raw.headers);
  const isOwn = origin === undefined ||
    isLoopbackOrigin(origin) && URL.parse(origin)?.host === c.req.header("host")?.toLowerCase();
  return isOwn ? null : origin;
}

/** Refuses new work if the server is stopping. @throws {ShuttingDown} */
export function requireRunning(services: Services): void {
  if (services.isStopping()) throw new ShuttingDown();
}

/**
 * The answer of an open. If the client leaves before receiving it, the session ends, unless it is small. The signal of a request is silent if the body
 * came in a later packet than the head. The `cancel` of a body tells of every client that has left, but only while something is
 * left to send; so a line feed follows the JSON on its own.
 */
function answerOpen(c: RequestContext, { store }: Services, session: Session): Response {
  const end = () => {
    if (store.find(session.id) !== null) store.delete(session.id);
  };
  if (c.req.raw.signal.aborted) {
    end();
    throw new ClientGone("The client went away");
  }
  if (store.mayLinger(session)) return respondWithJson(describeSession(session));
  const bytes = new TextEncoder().encode(`${JSON.stringify(describeSession(session))}\n`);
  let isFirst = true;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (isFirst) {
        isFirst = false;
        return controller.enqueue(bytes.subarray(0, -1));
      }
      // By then the runtime has written the JSON, and knows whether somebody takes it.
      await new Promise((resolve) => setTimeout(resolve, 0));
      controller.enqueue(bytes.subarray(-1));
      controller.close();
    },
    cancel: end,
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { "Content-Type": "application/json", "Content-Length": String(bytes.length) },
  });
}

function chooseDialogFilter(wanted: readonly string[] | null, allowed: readonly string[]): readonly string[] {
  if (wanted === null) return allowed;
  const supported = wanted.map((e) => e.toLowerCase()).filter((e) => SUPPORTED_EXTENSIONS.includes(e));
  if (supported.length > 0) return supported;
  throw new UnsupportedFormat(
    `None of ${quoted(wanted.join(" "))} is supported; this server opens ${allowed.join(" ")}`,
  );
}
