import { deepEqual, equal, throws } from "node:assert/strict";
import { TooManyOpens } from "./errors.ts";
import { PlaneQueue } from "./decode_pool.ts";

/** Removes all jobs, in order. */
function drained(queue: PlaneQueue<string>): string[] {
  const jobs: string[] = [];
  for (let job = queue.next(); job !== null; job = queue.next()) jobs.push(job);
  return jobs;
}

Deno.test("sessions take turns, and the jobs of each go in order", () => {
  const queue = new PlaneQueue<string>();
  for (const job of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(job[0]!, job);
  equal(queue.turn, "a");
  deepEqual(drained(queue), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  deepEqual([queue.size, queue.turn, queue.next()], [0, null, null]);
});

Deno.test("an unwanted job is removed once", () => {
  const queue = new PlaneQueue<string>();
  for (const job of ["a1", "a2", "b1"]) queue.add(job[0]!, job);
  for (const [session, job] of [["a", "a1"], ["a", "a1"], ["c", "a2"], ["b", "b1"]] as const) {
    queue.remove(session, job);
  }
  equal(queue.size, 1);
  deepEqual(drained(queue), ["a2"]);
});

Deno.test("16 jobs of a session and 256 in all may wait", () => {
  const queue = new PlaneQueue<string>();
  for (let session = 0; session < 16; session += 1) {
    for (let i = 0; i < 16; i += 1) queue.add(`${session}`, `${session}.${i}`);
    if (session < 15) throws(() => queue.add(`${session}`, "x"), /16 planes of this session/);
  }
  throws(() => queue.add("16", "x"), TooManyOpens);
  throws(() => queue.add("16", "x"), /256 planes are waiting/);
  equal(queue.size, 256);
  equal(queue.next(), "0.0");
  queue.add("16", "x");
  equal(queue.clear().length, 256);
  equal(queue.size, 0);
});
