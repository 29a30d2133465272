/** What the benchmark of the clients runs inside a page of the server. */

/**
 * Best of some rounds in milliseconds: a plane by the client module, and the body of the answer at `bare` as one buffer.
 */
export async function planeTimes({ path, bare }) {
  const { connect } = await import("/client/v2/acq-client.js");
  const scan = await (await connect()).open(path);
  const time = async (work) => {
    const start = performance.now();
    const { length } = await work();
    if (length !== 1 << 24) throw new Error(`${length} samples came`);
    return performance.now() - start;
  };
  const times = { bare: Infinity, plane: Infinity };
  // In turns, so that both see the same machine.
  for (let round = 0; round < 15; round += 1) {
    const whole = async () =>
      new Float32Array(await (await fetch(bare, { cache: "no-store" })).arrayBuffer());
    times.bare = Math.min(times.bare, await time(whole));
    times.plane = Math.min(times.plane, await time(async () => (await scan.plane(0)).samples));
  }
  await scan.close();
  return times;
}
