const encoder = new TextEncoder();

/** A JSON answer with an explicit length, which HEAD needs to tell the length of a body that it does not send. */
export function jsonResponse(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(JSON.stringify(body));
  return new Response(bytes, {
    status,
    headers: { "Content-Type": "application/json", "Content-Length": String(bytes.length), ...headers },
  });
}
