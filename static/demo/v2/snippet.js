/** Programs that fetch the plane that is shown, to copy. */

/**
 * @param {string} language `python` or `javascript`
 * @param {string} origin base address of the server
 * @param {{dataUrl: string, name: string}} channel
 * @param {number[]} shape `[rows, columns]`
 */
export function snippet(language, origin, channel, [rows, columns]) {
  const url = origin + channel.dataUrl;
  const name = channel.name.replaceAll(/[\r\n]/g, " ");
  if (language === "python") {
    return `# ${name}: ${rows} x ${columns} float32
from urllib.request import urlopen
import numpy as np

with urlopen("${url}") as response:
    plane = np.frombuffer(response.read(), dtype="<f4").reshape(${rows}, ${columns})
print(plane.shape, np.nanmin(plane), np.nanmax(plane))
`;
  }
  return `// ${name}: ${rows} x ${columns} float32
const response = await fetch("${url}");
if (!response.ok) throw new Error((await response.json()).message);
const bytes = new DataView(await response.arrayBuffer());
const plane = Float32Array.from({ length: ${rows * columns} }, (_, i) => bytes.getFloat32(4 * i, true));
const sample = (row, column) => plane[row * ${columns} + column];
console.log(sample(0, 0));
`;
}
