/** ZIP files of the page, as Python reads them. */
import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { output, programTest } from "../programs.ts";
import { zipOf } from "../../static/demo/v2/controls/zip_file.ts";

/** Prints names, times, texts and the first damaged entry as JSON. */
const READ = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as file:
    texts = [[i.filename, list(i.date_time), file.read(i).decode(), i.external_attr] for i in file.infolist()]
    print(json.dumps([texts, file.testzip()]))`;

programTest(["python3"], {
  name: "Python reads names, times and texts of a ZIP file, also of an empty one",
  async fn([python]) {
    const folder = await Deno.makeTempDir();
    const path = join(folder, "results.zip");
    const long = "0.123,Gefäß\r\n".repeat(100_000);
    const [date, stamp] = [new Date(2031, 11, 30, 23, 59, 58), [2031, 12, 30, 23, 59, 58]];
    const texts = [["Gefäß-events.csv", long], ["Gefäß-events.json", "{}\n"], ["empty.csv", ""]] as const;
    for (const files of [texts, []]) {
      await Deno.writeFile(path, await (await zipOf(files, date)).bytes());
      const found = JSON.parse(await output(python!, ["-c", READ, path]));
      deepEqual(found, [files.map(([name, text]) => [name, stamp, text, 0]), null]);
    }
    await Deno.remove(folder, { recursive: true });
  },
});
