/** The viewer in any browser: keys and drags come from outside, the rest runs in the page. */
import { until } from "../deadline.ts";
import type { StubbedServer } from "./browser.ts";
import type { Point, RemotePage } from "./remote_page.ts";

const IS_OPENED = `document.getElementById("status").textContent.startsWith("Opened") &&
  document.querySelector("#source svg.labels > g text") !== null`;

export class RemoteViewer {
  constructor(readonly page: RemotePage) {}

  /** Loads the viewer and opens what the dialog of the server answers. */
  async open(server: StubbedServer): Promise<void> {
    await this.page.goto(`${server.baseUrl}/demo/v2/`);
    await this.when('document.getElementById("server").textContent !== ""');
    await this.click("#open");
    await this.when(IS_OPENED);
  }

  /** Loads the viewer, which opens the last file again. */
  async reopen(server: StubbedServer): Promise<void> {
    await this.page.goto(`${server.baseUrl}/demo/v2/`);
    await this.when(IS_OPENED);
  }

  when(holds: string): Promise<void> {
    return until(async () => await this.page.evaluate(holds) as boolean, holds);
  }

  click(selector: string): Promise<unknown> {
    return this.page.evaluate(`document.querySelector("${selector}").click()`);
  }

  focus(selector: string): Promise<unknown> {
    return this.page.evaluate(`document.querySelector("${selector}").focus()`);
  }

  text(selector: string): Promise<string> {
    return this.page.evaluate(`document.querySelector("${selector}").textContent`) as Promise<string>;
  }

  type(id: string, value: string): Promise<unknown> {
    return this.page.evaluate(`(() => {
      const field = document.getElementById("${id}");
      field.value = "${value}";
      for (const type of ["input", "change"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    })()`);
  }

  /** Place and size of an element, once charts have taken their place. */
  async box(selector: string): Promise<[x: number, y: number, width: number, height: number]> {
    return await this.page.evaluate(`(async () => {
      for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
      const { x, y, width, height } = document.querySelector("${selector}").getBoundingClientRect();
      return [x, y, width, height];
    })()`) as [number, number, number, number];
  }

  /** Drags between places of the picture, fractions from its upper left corner. */
  async drag(from: Point, to: Point): Promise<void> {
    const [x, y, width, height] = await this.box("#source .plot");
    const at = ([across, down]: Point): Point => [x + across * width, y + down * height];
    await this.page.drag(at(from), at(to));
  }

  /** Saves an archive and keeps it in the page. */
  async keepArchive(): Promise<void> {
    await this.page.evaluate(`(() => {
      HTMLAnchorElement.prototype.click = function () {
        globalThis.archive = fetch(this.href).then((answer) => answer.blob());
      };
    })()`);
    await this.click("#save");
    await this.click("#save-dialog .primary");
    await this.when("globalThis.archive !== undefined");
  }

  /** Restores the archive that the page keeps; answers what it says. */
  async restoreArchive(): Promise<string> {
    await this.page.evaluate(`(async () => {
      const chosen = new DataTransfer();
      chosen.items.add(new File([await globalThis.archive], "saved.zip"));
      const input = document.getElementById("restore-file");
      input.files = chosen.files;
      input.dispatchEvent(new Event("change"));
    })()`);
    await until(async () => await this.text("#notice-text") !== "", "the archive to be restored");
    return await this.text("#notice-text");
  }
}
