/** Measures several recordings at the same time. */
import { MeasureWorkers } from "../static/measure/measure_workers.ts";

/** Workers without permissions, one per recording that is measured at the same time. */
export const startMeasureWorkers = (count: number): MeasureWorkers => {
  const none = { read: false, write: false, net: false, env: false, run: false, sys: false, ffi: false };
  return new MeasureWorkers(count, () =>
    new Worker(new URL("./measure_worker.ts", import.meta.url).href, {
      type: "module",
      name: "measure",
      deno: { permissions: { ...none, import: false } },
    }));
};

/** Does work for each item, `count` at a time; the results have the order of the items. */
export async function doInTurn<Item, Result>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  const waiting = items.entries();
  await Promise.all(Array.from({ length: count }, async () => {
    for (const [i, item] of waiting) results[i] = await work(item);
  }));
  return results;
}
