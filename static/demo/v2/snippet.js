/**
 * Programs that fetch the planes that are shown, to copy. Names come from files that others made: they stand only in
 * string literals, never in comments, where a line separator or an encoding declaration would end them.
 */

/**
 * @param {string} language `python` or `javascript`
 * @param {string} origin base address of the server
 * @param {readonly {dataUrl: string, name: string}[]} channels
 * @param {number[]} shape `[rows, columns]`
 * @returns {string} prints or logs each channel's name with its range or first sample
 */
export function snippet(language, origin, channels, [rows, columns]) {
  const isPython = language === "python";
  const [open, close] = isPython ? ["(", ")"] : ["[", "]"];
  const pairs = channels.map(({ name, dataUrl }) =>
    `    ${open}${literal(name)}, ${literal(dataUrl)}${close},\n`
  );
  if (isPython) {
    return `from urllib.request import urlopen
import numpy as np

server = ${literal(origin)}
channels = [
${pairs.join("")}]
planes = []
for name, path in channels:
    with urlopen(server + path) as response:
        plane = np.frombuffer(response.read(), dtype="<f4").reshape(${rows}, ${columns})
    print(name, plane.shape, np.nanmin(plane), np.nanmax(plane))
    planes.append(plane)
`;
  }
  return `const server = ${literal(origin)};
const channels = [
${pairs.join("")}];
const planes = [];
for (const [name, path] of channels) {
  const response = await fetch(server + path);
  if (!response.ok) throw new Error((await response.json()).message);
  const bytes = new DataView(await response.arrayBuffer());
  planes.push(Float32Array.from({ length: ${rows * columns} }, (_, i) => bytes.getFloat32(4 * i, true)));
  console.log(name, planes.at(-1)[0]);
}
const sample = (channel, row, column) => planes[channel][row * ${columns} + column];
`;
}

/** A string literal of both languages; whatever is no letter, mark, number, punctuation or symbol becomes a space. @param {string} text */
const literal = (text) => JSON.stringify(text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]/gu, " "));
