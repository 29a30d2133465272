/**
 * Programs to copy that open the file and fetch the shown planes. They open by path, because the session of the page
 * ends, or by the dialog if the server refuses paths.
 *
 * Paths and names are untrusted: they appear only in string literals, never in comments, which a line separator or an
 * encoding declaration could end.
 */

/** Language of a program, or `curl` for a shell script. */
export type Language = "python" | "javascript" | "matlab" | "curl";

/** What a program opens and fetches. */
export interface WantedProgram {
  /** Base address of the server. */
  origin: string;
  /** Path of the acquisition on the server's computer; null asks with the dialog. */
  path: string | null;
  /** Index of the scene; null or absent is the first. */
  scene?: number | null;
  /** Whether to read the planes of the reference image. */
  isReference?: boolean;
  /** Indices of the channels in the file. */
  channels: readonly number[];
  /** Such as `{t: 3}`; index 0 needs none. */
  position?: Record<string, number>;
}

/** A program that reads each plane and prints its range or first sample. */
export function writeSnippet(
  language: Language,
  { origin, path, scene, isReference = false, channels, position = {} }: WantedProgram,
): string {
  const steps = Object.entries(position).filter(([, index]) => index > 0);
  return { python, javascript, matlab, curl }[language]({
    origin,
    address: path === null ? "/api/v2/pick-and-open" : "/api/v2/open",
    fields: Object.entries({ ...path !== null && { path }, ...scene && { scene } }),
    query: steps.length === 0 ? "" : `?${steps.map(([axis, index]) => `${axis}=${index}`).join("&")}`,
    channels,
    isReference,
  });
}

/** Parts of a program: `address` of the open request, `fields` of its body, `query` of the planes, such as `?t=3`. */
type ProgramParts = {
  origin: string;
  address: string;
  fields: [string, string | number][];
  query: string;
  channels: readonly number[];
  isReference: boolean;
};

function python({ origin, address, fields, query, channels, isReference }: ProgramParts) {
  const body = fields.map(([name, value]) => `${literal(name)}: ${literal(value)}`);
  return `import json
from urllib.request import Request, urlopen
import numpy as np

server = ${literal(origin)}
body = json.dumps({${body.join(", ")}}).encode()
request = Request(server + ${literal(address)}, body, {"Content-Type": "application/json"})
with urlopen(request) as response:
    opened = json.load(response)
image = ${isReference ? 'opened["reference"]' : "opened"}
planes = {}
for channel in image["channels"]:
    if channel["index"] not in [${channels.join(", ")}]:
        continue
    with urlopen(server + channel["dataUrl"] + ${literal(query)}) as response:
        plane = np.frombuffer(response.read(), dtype="<f4").reshape(image["plane"]["shape"])
    print(channel["name"], plane.shape, np.nanmin(plane), np.nanmax(plane))
    planes[channel["index"]] = plane
urlopen(Request(server + "/api/v2/sessions/" + opened["sessionId"], method="DELETE")).close()
`;
}

function javascript({ origin, address, fields, query, channels, isReference }: ProgramParts) {
  const body = fields.map(([name, value]) => `${name}: ${literal(value)}`);
  return `const server = ${literal(origin)};
const answer = await fetch(server + ${literal(address)}, {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ ${body.join(", ")} }),
});
const opened = await answer.json();
if (!opened.ok) throw new Error(opened.message);
const image = ${isReference ? "opened.reference" : "opened"};
const [rows, columns] = image.plane.shape;
const planes = new Map();
for (const { index, name, dataUrl } of image.channels) {
  if (![${channels.join(", ")}].includes(index)) continue;
  const response = await fetch(server + dataUrl + ${literal(query)});
  if (!response.ok) throw new Error((await response.json()).message);
  const bytes = new DataView(await response.arrayBuffer());
  planes.set(index, Float32Array.from({ length: rows * columns }, (_, i) => bytes.getFloat32(4 * i, true)));
  console.log(name, planes.get(index)[0]);
}
const sample = (index, row, column) => planes.get(index)[row * columns + column];
await fetch(server + "/api/v2/sessions/" + opened.sessionId, { method: "DELETE" });
`;
}

function matlab({ origin, address, fields, query, channels, isReference }: ProgramParts) {
  const body = fields.map(([name, value]) => `${matlabLiteral(name)}, ${matlabLiteral(value)}`);
  return `server = ${matlabLiteral(origin)};
asJson = weboptions("MediaType", "application/json", "Timeout", 600);
opened = webwrite(server + ${matlabLiteral(address)}, struct(${body.join(", ")}), asJson);
image = opened${isReference ? ".reference" : ""};
shape = double(image.plane.shape(:)');
planes = containers.Map("KeyType", "double", "ValueType", "any");
for k = 1:numel(image.channels)
    if iscell(image.channels), channel = image.channels{k}; else, channel = image.channels(k); end
    if ~ismember(channel.index, [${channels.join(", ")}]), continue; end
    address = server + channel.dataUrl + ${matlabLiteral(query)};
    bytes = webread(address, weboptions("ContentType", "binary", "Timeout", 600));
    plane = reshape(typecast(uint8(bytes(:)), "single"), fliplr(shape)).';
    fprintf("%s: %d x %d, %g to %g\\n", channel.name, shape, min(plane(:)), max(plane(:)));
    planes(channel.index) = plane;
end
webwrite(server + "/api/v2/sessions/" + opened.sessionId, weboptions("RequestMethod", "delete"));
`;
}

/** Needs jq beside curl: the addresses of the planes stand in the answer. */
function curl({ origin, address, fields, query, channels, isReference }: ProgramParts) {
  const image = isReference ? ".reference" : "";
  return `server=${shellLiteral(origin)}
body=${shellLiteral(`{${fields.map(([k, v]) => `${literal(k)}: ${literal(v)}`).join(", ")}}`)}
curl -sS -H 'Content-Type: application/json' -d "$body" "$server${address}" > opened.json
jq -r '.message // empty' opened.json >&2
jq -c '${image}.plane.shape' opened.json
for index in ${channels.join(" ")}; do
  plane=$(jq -r --argjson index "$index" '${image}.channels[] | select(.index == $index) | .dataUrl' opened.json)
  curl -sS -o "channel-$index.f32" "$server$plane"${shellLiteral(query)}
done
curl -sS -X DELETE "$server/api/v2/sessions/$(jq -r .sessionId opened.json)"
`;
}

/** All but letters, marks, numbers, punctuation, symbols and the space, which never end a line or turn the text. */
const UNUSUAL = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A literal of Python, JavaScript and JSON; unusual characters are escaped. */
const literal = (value: string | number) =>
  JSON.stringify(value).replaceAll(
    UNUSUAL,
    (letters) =>
      Array.from({ length: letters.length }, (_, i) => letters.charCodeAt(i).toString(16).padStart(4, "0"))
        .map((digits) => `\\u${digits}`).join(""),
  );

/** A MATLAB literal, which can escape only quotes: unusual characters become spaces. */
const matlabLiteral = (value: string | number) =>
  typeof value === "string" ? `"${value.replaceAll(UNUSUAL, " ").replaceAll('"', '""')}"` : String(value);

/** A word of a POSIX shell. */
const shellLiteral = (text: string) => text === "" ? "" : `'${text.replaceAll("'", `'\\''`)}'`;
