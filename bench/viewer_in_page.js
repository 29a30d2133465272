/** What the viewer's benchmark runs inside the page. */

/** Writes down the time from the planes' last byte to the finished picture, whenever a file is opened. */
export function installClock() {
  const { read } = ReadableStreamDefaultReader.prototype;
  let start = 0;
  ReadableStreamDefaultReader.prototype.read = async function () {
    const part = await read.call(this);
    if (part.done) start = performance.now();
    return part;
  };
  const status = document.getElementById("status");
  // The page says so in the task that draws.
  new MutationObserver(() => {
    if (!status.textContent.startsWith("Opened")) return;
    const canvas = document.querySelector("#source canvas");
    // Reading a pixel waits until everything before it is drawn.
    const gl = canvas.getContext("webgl2");
    if (gl !== null) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    else canvas.getContext("2d").getImageData(0, 0, 1, 1);
    globalThis.pictureMilliseconds = performance.now() - start;
  }).observe(status, { childList: true });
}

/** Milliseconds that {@linkcode installClock} wrote down last. */
export const pictureTime = () => globalThis.pictureMilliseconds;

/** Milliseconds to map 2048 x 2048 floats to grey and put them on a canvas, once a round. */
export function timePutImageData(rounds) {
  const samples = Float32Array.from({ length: 2048 * 2048 }, (_, i) => (i * 7919) % 4096);
  const context = Object.assign(document.createElement("canvas"), { width: 2048, height: 2048 }).getContext(
    "2d",
  );
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const image = context.createImageData(2048, 2048);
    const words = new Uint32Array(image.data.buffer);
    for (let i = 0; i < samples.length; i += 1) {
      const level = Math.min(255, Math.max(0, (samples[i] / 4095) * 255)) | 0;
      words[i] = 0xff000000 | (level << 16) | (level << 8) | level;
    }
    context.putImageData(image, 0, 0);
    context.getImageData(0, 0, 1, 1);
    times.push(performance.now() - start);
  }
  return times;
}

/** Milliseconds of the frame that draws another look-up table, once a round. */
export async function timeLutChange(rounds) {
  const select = document.getElementById("source-0-lut");
  const canvas = document.querySelector("#source canvas");
  const gl = canvas.getContext("webgl2");
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    select.value = round % 2 === 0 ? "viridis" : "gray";
    let start = 0;
    // Callbacks of one frame run in the order in which they were asked for: ours, the pane's, ours.
    requestAnimationFrame(() => start = performance.now());
    select.dispatchEvent(new Event("change", { bubbles: true }));
    times.push(
      await new Promise((done) =>
        requestAnimationFrame(() => {
          if (gl !== null) gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
          done(performance.now() - start);
        })
      ),
    );
  }
  return times;
}

/** Times between frames while the wheel turns once a frame, in and out. */
export async function zoomFrames(count) {
  const plot = document.querySelector("#source .plot");
  const box = plot.getBoundingClientRect();
  const frame = () => new Promise(requestAnimationFrame);
  const times = [];
  let last = await frame();
  for (let i = 0; i < count; i += 1) {
    const deltaY = i % 120 < 60 ? -40 : 40;
    const place = { clientX: box.left + box.width * 0.4, clientY: box.top + box.height * 0.5 };
    plot.dispatchEvent(new WheelEvent("wheel", { deltaY, bubbles: true, cancelable: true, ...place }));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return times;
}
