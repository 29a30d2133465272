/**
 * The HTTP API v2, one function a resource. Knows nothing of pictures or pages.
 *
 * Every failure is an {@linkcode ApiError}. Branch on its `code`, never on its message. Besides the server's
 * codes there are three of the client: `server_gone` (no answer at all), `bad_answer` (not what the contract
 * promises) and `cancelled` (the user's choice, not a fault; the server uses the same code).
 */

/** Address of the server; empty on a page that the server itself serves. */
const SERVER = "";

/** A failed call: `code` is stable, `message` is for people, `details` as the server sent them. */
export class ApiError extends Error {
  constructor(code, message, details = null) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.details = details;
  }
}

/** `GET /api/v2/health`. */
export const readHealth = (signal) => call("/api/v2/health", { signal });

/** `GET /api/v2/capabilities`. */
export const readCapabilities = () => call("/api/v2/capabilities");

/** `POST /api/v2/pick-and-open`: shows the native dialog on the server's machine, answers the open response. */
export const pickAndOpen = (signal) =>
  call("/api/v2/pick-and-open", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{}",
    signal,
  });

/** `GET /api/v2/sessions/<id>`. */
export const readSession = (id, signal) => call(`/api/v2/sessions/${encodeURIComponent(id)}`, { signal });

/** `DELETE /api/v2/sessions/<id>`; `keepalive` lets the request outlive the page. */
export const deleteSession = (id) =>
  call(`/api/v2/sessions/${encodeURIComponent(id)}`, { method: "DELETE", keepalive: true });

/**
 * The bytes of one plane, exactly `byteLength` of them.
 *
 * @param {string} dataUrl server-relative path from the open response
 * @param {number} byteLength what the open response promises
 * @param {AbortSignal} [signal]
 * @param {(bytes: number) => void} [onBytes] called with the size of each piece that arrives
 * @returns {Promise<ArrayBuffer>}
 */
export async function fetchPlane(dataUrl, byteLength, signal, onBytes = () => {}) {
  const response = await send(dataUrl, { signal });
  if (!response.ok) throw await failure(response);
  const bytes = new Uint8Array(byteLength);
  let filled = 0;
  try {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (filled + value.length > byteLength) {
        await reader.cancel();
        throw new ApiError("bad_answer", `${dataUrl} sent more than its ${byteLength} bytes`);
      }
      bytes.set(value, filled);
      filled += value.length;
      onBytes(value.length);
    }
  } catch (error) {
    throw clientError(error);
  }
  if (filled !== byteLength) {
    throw new ApiError("bad_answer", `${dataUrl} sent ${filled} bytes instead of ${byteLength}`);
  }
  return bytes.buffer;
}

async function call(path, init = {}) {
  const response = await send(path, init);
  if (!response.ok) throw await failure(response);
  let body;
  try {
    body = await response.json();
  } catch (error) {
    throw clientError(error, "The answer is not JSON");
  }
  // A cancelled dialog is HTTP 200 with ok = false.
  if (body?.ok !== true) {
    throw new ApiError(body?.error ?? "bad_answer", body?.message ?? "The answer has no ok", body?.details);
  }
  return body;
}

async function send(path, init) {
  try {
    // Cookies of other programs on this host would go along; the server takes 64 KiB of headers.
    return await fetch(SERVER + path, { cache: "no-store", credentials: "omit", ...init });
  } catch (error) {
    throw clientError(error);
  }
}

async function failure(response) {
  try {
    const body = await response.json();
    return new ApiError(body.error ?? "bad_answer", body.message ?? response.statusText, body.details);
  } catch {
    return new ApiError("bad_answer", `HTTP ${response.status} ${response.statusText}`);
  }
}

function clientError(error, message = "The server does not answer") {
  if (error instanceof ApiError) return error;
  if (error.name === "AbortError") return new ApiError("cancelled", "Cancelled");
  return new ApiError(error instanceof SyntaxError ? "bad_answer" : "server_gone", message);
}
