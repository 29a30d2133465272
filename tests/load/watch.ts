/**
 * Measures delays, of a timer (`timer`) or of health answers of a server, every 20 ms, and prints what it found as JSON.
 *
 * usage: deno run -A tests/load/watch.ts timer|URL SECONDS
 */
import { pause } from "../deadline.ts";

const EVERY_MS = 20;

const [target, seconds] = Deno.args as [string, string];
const took: number[] = [];
const end = performance.now() + Number(seconds) * 1000;
while (performance.now() < end) {
  const start = performance.now();
  if (target === "timer") {
    await pause(EVERY_MS);
    took.push(performance.now() - start - EVERY_MS);
  } else {
    await (await fetch(`${target}/api/v2/health`)).bytes();
    took.push(performance.now() - start);
    await pause(EVERY_MS);
  }
}
took.sort((a, b) => a - b);
const at = (share: number) => Number(took[Math.floor(share * (took.length - 1))]!.toFixed(1));
const over = (ms: number) => took.filter((value) => value > ms).length;
console.log(JSON.stringify({
  answers: took.length,
  median: at(0.5),
  "99.9 %": at(0.999),
  slowest: at(1),
  over20: over(20),
  over100: over(100),
}));
