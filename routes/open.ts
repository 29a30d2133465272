/** `POST /api/v2/open`, `POST /api/v2/pick-and-open` and the answer that both give. */
import { isAbsolute } from "node:path";
import { PathNotAllowed, quoted, UnsupportedFormat } from "../readers/errors.ts";
import { SUPPORTED_EXTENSIONS } from "../readers/format_names.ts";
import { ClientGone, ShuttingDown } from "../session/errors.ts";
import { openResponse } from "../session/open_response.ts";
import type { Session } from "../session/store.ts";
import { dialogTitle } from "../session/dialog/title.ts";
import { Cancelled } from "./errors.ts";
import { askingOrigin, checkOrigin, isLoopbackOrigin } from "./guard.ts";
import { jsonResponse } from "./json_response.ts";
import { faulty, readBody } from "./request_body.ts";
import { pathParameter, type RequestContext, type Services } from "./context.ts";

/** Opens an acquisition by path. */
export async function openByPath(c: RequestContext, services: Services): Promise<Response> {
  checkRunning(services);
  const { path, channelIndices = null, scene = null } = await readBody(c.req.raw, "OpenRequest", false);
  if (!isAbsolute(path)) {
    throw faulty(
      ["path"],
      `must be an absolute path; ${quoted(path)} is relative and ~ is not expanded`,
      "path_not_absolute",
    );
  }
  checkOrigin(askingOrigin(c.req.raw.headers), services.allowedOrigins);
  if (services.dialogOnly) {
    throw new PathNotAllowed(
      "This server opens files through its dialog only; use POST /api/v2/pick-and-open",
    );
  }
  return await open(
    c,
    services,
    (signal) => services.opener.open({ path, channelIndices, scene, chosenByUser: false, signal }),
  );
}

/** Opens the acquisition of a live session once more, such as another scene of it. */
export async function openAgain(c: RequestContext, services: Services): Promise<Response> {
  checkRunning(services);
  const origin = askingOrigin(c.req.raw.headers);
  const { channelIndices = null, scene = null } = await readBody(
    c.req.raw,
    "OpenAgainRequest",
    origin === undefined,
  );
  const session = services.store.get(pathParameter(c, "session_id"));
  return await open(
    c,
    services,
    (signal) => services.opener.openAgain(session, { channelIndices, scene, signal }),
  );
}

/** Lets the user choose an acquisition in a native file dialog and opens it. */
export async function pickAndOpen(c: RequestContext, services: Services): Promise<Response> {
  checkRunning(services);
  const origin = askingOrigin(c.req.raw.headers);
  const { channelIndices = null, scene = null, extensions = null } = await readBody(
    c.req.raw,
    "PickRequest",
    origin === undefined,
  );
  const filter = dialogFilter(extensions, services.allowedExtensions);
  const foreign = origin === undefined || isOwnOrigin(c, origin) ? null : origin;
  const asked = {
    title: dialogTitle(foreign),
    extensions: filter,
    signal: c.req.raw.signal,
    admit: () => services.manners.check(foreign !== null),
  };
  asked.admit();
  const path = await services.picker.pick(asked).catch((error: unknown) => {
    // A page that leaves closes its dialog; in this way it could open dialogs again and again.
    if (error instanceof ClientGone) services.manners.cancelled(foreign !== null);
    throw error;
  });
  if (path === null) {
    services.manners.cancelled(foreign !== null);
    throw new Cancelled("No file was chosen");
  }
  return await open(
    c,
    services,
    (signal) => services.opener.open({ path, channelIndices, scene, chosenByUser: true, signal }),
  );
}

/** @throws {ShuttingDown} the server is stopping */
function checkRunning(services: Services): void {
  if (services.isStopping()) throw new ShuttingDown("The server is stopping");
}

/** Opens, and takes the session back when the client went away before it knew of it. */
async function open(
  c: RequestContext,
  services: Services,
  load: (signal: AbortSignal) => Promise<Session>,
): Promise<Response> {
  const { signal } = c.req.raw;
  const session = await load(signal);
  const takeBack = () => {
    try {
      services.store.delete(session.id);
    } catch {
      // It has ended by itself.
    }
  };
  if (signal.aborted) {
    takeBack();
    throw new ClientGone("The client went away");
  }
  void c.env.info.completed.then(() => {
    if (signal.aborted) takeBack();
  }, takeBack);
  return jsonResponse(openResponse(session));
}

function isOwnOrigin(c: RequestContext, origin: string): boolean {
  return isLoopbackOrigin(origin) && URL.parse(origin)?.host === c.req.header("host")?.toLowerCase();
}

/** Extensions that the dialog shows. @throws {UnsupportedFormat} none of the wanted ones is supported */
function dialogFilter(wanted: readonly string[] | null, allowed: readonly string[]): readonly string[] {
  if (wanted === null) return allowed;
  const supported = wanted.map((e) => e.toLowerCase()).filter((e) => SUPPORTED_EXTENSIONS.includes(e));
  if (supported.length > 0) return supported;
  throw new UnsupportedFormat(
    `None of ${quoted(wanted.join(" "))} is supported; this server opens ${allowed.join(" ")}`,
  );
}
