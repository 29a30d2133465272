/** Saves an archive through the browser. The page never sees its bytes, so it asks the server whether they were sent. */
import { element } from "../controls/element.ts";
import type { ExportLink, ExportState, Server } from "../../../client/v2/acq-client.ts";

/** Milliseconds between two questions, the last one for all further ones. */
const PAUSES_MS = [50, 100, 200, 500, 1000] as const;

/** The download of an archive ended before its end. */
export class ArchiveFailed extends Error {
  constructor({ message }: ExportState) {
    super(`the archive broke off, and its file is incomplete: ${message}`);
  }
}

/** Saves an archive; ends when the server has sent all of it. @throws {ArchiveFailed} */
export async function saveArchive(server: Pick<Server, "exportState">, link: ExportLink): Promise<void> {
  element("a", { href: link.url, download: "" }).click();
  for (let asked = 0;; asked += 1) {
    const state = await server.exportState(link);
    if (state.state === "done") return;
    if (state.state === "failed") throw new ArchiveFailed(state);
    await new Promise((resume) => setTimeout(resume, PAUSES_MS[Math.min(asked, PAUSES_MS.length - 1)]));
  }
}
