/** Functions that the tests run inside the page; plain JavaScript, since types of pages are not those of tests. */

export const workIsSettled = () => document.getElementById("kept-words").textContent !== "Saving …";
export const serverIsKnown = () => document.getElementById("server").textContent !== "";

/** Whether opening has ended, with or without success. */
export const openingEnded = () =>
  document.getElementById("status").textContent !== "" && !document.getElementById("open").disabled;

export const wasCancelled = () =>
  document.getElementById("status").textContent === "Cancelled" && !document.getElementById("open").disabled;

export function forgetStatus() {
  document.getElementById("status").textContent = "";
  document.getElementById("status").className = "";
}

/** Waits until every picture is drawn exactly, and the profile, for two frames. */
export async function twoFrames() {
  const frame = () => new Promise(requestAnimationFrame);
  do {
    await frame();
    await frame();
  } while (document.querySelector("[aria-busy=true]") !== null);
}

export async function readPng({ bytes, x, y }) {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return { width: bitmap.width, color: [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)] };
}

export function focused() {
  const { id, ariaLabel, className, textContent } = document.activeElement;
  return id || ariaLabel || className || textContent;
}

/** Texts of the pictures that leave their figure, and the page when it is wider than the window. */
export function cutOff() {
  const cut = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) cut.push(`page of ${scrollWidth}`);
  const aside = document.querySelector("aside");
  if (aside.scrollWidth > aside.clientWidth) cut.push(`controls of ${aside.scrollWidth}`);
  for (const svg of document.querySelectorAll(".stage > svg")) {
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll("text")) {
      const { left, right, top, bottom } = text.getBoundingClientRect();
      const isOut = left < box.left - 1 || right > box.right + 1 || top < box.top - 1 ||
        bottom > box.bottom + 1;
      if (isOut) cut.push(text.textContent);
    }
  }
  return cut;
}

/** Whether head and foot leave the scrolled middle free: nothing lies over a canvas. */
export function barsLieApart() {
  const box = (selector) => document.querySelector(selector).getBoundingClientRect();
  const main = box("main");
  return box("header").bottom <= main.top + 0.5 && main.bottom <= box("footer").top + 0.5 &&
    box("footer").bottom <= innerHeight + 0.5;
}

/** Canvas pixels a CSS pixel. */
export function canvasDensity() {
  const canvas = document.querySelector("#source .plot canvas");
  return canvas.width / canvas.getBoundingClientRect().width;
}

export function chartColors() {
  const canvas = document.getElementById("curves");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colors = new Set();
  for (let i = 0; i < data.length; i += 4) colors.add(data.subarray(i, i + 3).join(","));
  return [...colors];
}

export const lookAgain = () => document.dispatchEvent(new Event("visibilitychange"));

/** Whether the tab is in front, as far as the page can tell. @param {boolean} isShown */
export function tabIsShown(isShown) {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => !isShown });
}

/**
 * Posts with each of `counts` further headers; returns the statuses, or the errors, and the
 * codes.
 */
export async function postWithHeaders({ url, body, counts }) {
  const post = async (count) => {
    const headers = { "Content-Type": "application/json" };
    for (let i = 0; i < count; i += 1) headers[`x${i}`] = "a";
    try {
      const response = await fetch(url, { method: "POST", headers, body });
      return `${response.status} ${(await response.json()).error ?? "opened"}`;
    } catch (error) {
      return String(error);
    }
  };
  const answers = [];
  for (const count of counts) answers.push(await post(count));
  return answers;
}

export async function greensOf(bytes) {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  return [...context.getImageData(0, 0, bitmap.width, bitmap.height).data].filter((_, i) => i % 4 === 1);
}

/** Drops a file of this name on the page; answers whether the page kept the browser from opening it. */
export function dropFile({ name, bytes }) {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(bytes)], name));
  return ["dragover", "drop"].map((type) =>
    !document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
  );
}

/** Whether an element has this text; any white space counts as one space. */
export const hasText = ({ selector, text }) =>
  document.querySelector(selector).textContent.replaceAll(/\s+/g, " ").includes(text);

/** Red, green, blue and alpha of a pixel of one of the page's canvases. */
export function drawnPixel({ picture, x, y }) {
  const context = document.querySelectorAll("canvas")[picture].getContext("2d");
  return [...context.getImageData(x, y, 1, 1).data];
}

/** Records texts written on canvases from now on. */
export function rememberWriting() {
  const texts = globalThis.writtenTexts = [];
  const { prototype } = CanvasRenderingContext2D;
  const write = prototype.fillText;
  prototype.fillText = function (text, ...place) {
    texts.push(text);
    return write.call(this, text, ...place);
  };
}

/** Whether all that an element has is seen without scrolling. */
export const isSeenWhole = (selector) => {
  const { scrollHeight, clientHeight } = document.querySelector(selector);
  return scrollHeight <= clientHeight;
};

/** What is drawn in the work kept last; null without any. */
export async function keptDrawn() {
  const database = await new Promise((done) => {
    const request = indexedDB.open("acq-server work 3");
    // The page makes it, not the test.
    request.onupgradeneeded = () => request.transaction.abort();
    request.onsuccess = () => done(request.result);
    request.onerror = () => done(null);
  });
  if (database === null) return null;
  const works = await new Promise((done) => {
    const request = database.transaction("work").objectStore("work").getAll();
    request.onsuccess = () => done(request.result);
  });
  database.close();
  return works.sort((a, b) => b.savedAt - a.savedAt)[0]?.look.drawn ?? null;
}

export function blockStorage() {
  const get = () => {
    throw new DOMException("denied", "SecurityError");
  };
  for (const name of ["indexedDB", "localStorage", "sessionStorage"]) {
    Object.defineProperty(globalThis, name, { get });
  }
}
