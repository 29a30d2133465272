/** Emits events with details. */
export class Emitter extends EventTarget {
  /** @param {string} type @param {object} [detail] */
  emit(type, detail = {}) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Listens to the details of events. @param {string} type @param {(detail: any) => void} work */
  on(type, work) {
    this.addEventListener(type, (event) => work(/** @type {CustomEvent} */ (event).detail));
  }
}
