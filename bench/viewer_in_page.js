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
    const canvas = document.querySelector("#source .plot canvas");
    // Reading a pixel waits until everything before it is drawn.
    canvas.getContext("2d").getImageData(0, 0, 1, 1);
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
  const canvas = document.querySelector("#source .plot canvas");
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
          canvas.getContext("2d").getImageData(0, 0, 1, 1);
          done(performance.now() - start);
        })
      ),
    );
  }
  return times;
}

/**
 * Milliseconds from the key for the next time point to its picture, `count` times from the first one. The first sample of plane n
 * is n: the read-out of a cursor there tells which plane is shown.
 */
export async function stepTimes(count) {
  const plot = document.querySelector("#source .plot");
  const { left, top } = plot.getBoundingClientRect();
  const readout = document.querySelector("#source .readout");
  const value = () => Number(readout.querySelector("b")?.textContent);
  const shown = (plane) =>
    new Promise((done) => {
      const look = () => {
        if (value() !== plane) return;
        watch.disconnect();
        done();
      };
      const watch = new MutationObserver(look);
      watch.observe(readout, { childList: true, subtree: true });
      look();
    });
  plot.dispatchEvent(
    new PointerEvent("pointermove", {
      bubbles: true,
      clientX: left + 0.01,
      clientY: top + 0.01,
      pointerId: 1,
    }),
  );
  const times = [];
  for (let plane = 1; plane <= count; plane += 1) {
    const start = performance.now();
    plot.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true, cancelable: true }));
    await shown(plane);
    times.push(
      // Callbacks of one frame run in the order in which they were asked for: the pane's, ours.
      await new Promise((done) =>
        requestAnimationFrame(() => {
          // Reading a pixel waits until everything before it is drawn.
          plot.querySelector("canvas").getContext("2d").getImageData(0, 0, 1, 1);
          done(performance.now() - start);
        })
      ),
    );
  }
  return times;
}

/**
 * Times between frames, and of work until the picture of a frame is drawn, while the wheel turns in and out (`zoom`), a
 * zoomed view is moved along (`pan`) or the pointer marks a part of the whole (`drag`), a step a frame.
 */
export async function motionFrames({ motion, count }) {
  const plot = document.querySelector("#source .plot");
  const box = plot.getBoundingClientRect();
  const frame = () => new Promise(requestAnimationFrame);
  const rest = () => new Promise((done) => setTimeout(done, 700));
  const at = (part) => ({ clientX: box.left + box.width * part, clientY: box.top + box.height * 0.5 });
  const send = (kind, name, place, more = {}) =>
    plot.dispatchEvent(new kind(name, { bubbles: true, cancelable: true, ...place, ...more }));
  const pointer = (name, place, more) => send(PointerEvent, name, place, { pointerId: 1, ...more });
  plot.setPointerCapture = () => {};
  if (motion === "pan") {
    for (let i = 0; i < 5; i += 1) {
      send(WheelEvent, "wheel", at(0.4), { deltaY: -40 });
    }
  }
  await rest();
  if (motion !== "zoom") pointer("pointerdown", at(0.2), { shiftKey: motion === "pan" });
  const [frames, work] = [[], []];
  let last = await frame();
  for (let i = 0; i < count; i += 1) {
    const isForth = i % 120 < 60;
    const start = performance.now();
    if (motion === "zoom") send(WheelEvent, "wheel", at(0.4), { deltaY: isForth ? -40 : 40 });
    else pointer("pointermove", at(0.2 + (isForth ? i % 120 : 120 - i % 120) / 120));
    const handled = performance.now() - start;
    const now = await frame();
    // Callbacks of one frame run in the order in which they were asked for: the pane's, ours.
    work.push(handled + performance.now() - now);
    frames.push(now - last);
    last = now;
  }
  if (motion !== "zoom") pointer("pointercancel", at(0.2));
  send(MouseEvent, "dblclick", at(0.4));
  await rest();
  return { frames, work };
}
