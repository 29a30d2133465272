/**
 * Bytes of one plane to samples. A plane is `shape[0] * shape[1]` little-endian 32-bit floats, row-major
 * (`raw-f32-le`), whatever the byte order of the machine that reads it.
 */

/** The machine's own byte order. */
const HOST_IS_LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/**
 * Checks a plane's description and one channel's size before anything is fetched.
 *
 * @param {{shape: number[], axes: {step: number}[], servedDtype: string, encoding: string, layout: string}} plane
 * @param {{byteLength: number}} channel
 * @returns {{rows: number, columns: number}}
 * @throws {RangeError} the description is not what the contract promises
 */
export function checkPlane(plane, channel) {
  const [rows, columns] = plane.shape;
  if (plane.shape.length !== 2 || !isCount(rows) || !isCount(columns)) {
    throw new RangeError(`plane.shape is [${plane.shape}], not two positive integers`);
  }
  if (plane.axes?.length !== 2 || !plane.axes.every(({ step }) => Number.isFinite(step) && step > 0)) {
    throw new RangeError("plane.axes are not two axes with a positive step");
  }
  const form = `${plane.servedDtype} ${plane.encoding} ${plane.layout}`;
  if (form !== "float32 raw-f32-le row-major") throw new RangeError(`Unknown plane encoding "${form}"`);
  if (channel.byteLength !== 4 * rows * columns) {
    throw new RangeError(
      `byteLength is ${channel.byteLength}, ${rows} x ${columns} floats are ${4 * rows * columns}`,
    );
  }
  return { rows, columns };
}

/**
 * The samples in `buffer`, which is reused where the host is little-endian and swapped in place where it is not.
 *
 * @param {ArrayBuffer} buffer a multiple of 4 bytes
 * @param {boolean} [hostIsLittleEndian]
 * @returns {Float32Array}
 */
export function decodeFloat32(buffer, hostIsLittleEndian = HOST_IS_LITTLE_ENDIAN) {
  if (!hostIsLittleEndian) {
    const view = new DataView(buffer);
    for (let at = 0; at < buffer.byteLength; at += 4) view.setUint32(at, view.getUint32(at, true), false);
  }
  return new Float32Array(buffer);
}

const isCount = (value) => Number.isInteger(value) && value > 0;
