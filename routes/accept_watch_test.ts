import { deepEqual, equal, match } from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { AcceptWatch } from "./accept_watch.ts";
import { until } from "../tests/deadline.ts";

/** A server on loopback, watched; looks are made by hand. */
async function watched() {
  const { setInterval } = globalThis;
  const server = createServer();
  const counts = { arrivals: 0, closed: 0, listening: 0 };
  const warnings: string[] = [];
  const told = { isDeaf: false };
  let look = () => {};
  server.on("listening", () => counts.listening += 1);
  server.listen(0, "127.0.0.1");
  await until(() => counts.listening === 1);
  const address = server.address() as AddressInfo;
  Object.assign(globalThis, { setInterval: (work: () => void) => look = work });
  const watch = new AcceptWatch(server, address, 8, (message) => warnings.push(message));
  Object.assign(globalThis, { setInterval });
  server.on("connection", (socket: Socket) => {
    counts.arrivals += 1;
    socket.resume();
    socket.on("close", () => counts.closed += 1);
    if (!told.isDeaf) watch.arrived(socket);
  });
  const connect = async () => (await Deno.connect({ hostname: "127.0.0.1", port: address.port })).close();
  const close = async () => {
    await watch.close();
    server.close();
  };
  return { watch, look: () => look(), connect, counts, warnings, told, [Symbol.asyncDispose]: close };
}

Deno.test("a server connects to itself after a doubt, and not again until the next one", async () => {
  await using server = await watched();
  const { watch, look, connect, counts, warnings } = server;
  // Nothing has arrived yet, so nothing would.
  watch.doubt();
  look();
  await connect();
  // Its end is a doubt.
  await until(() => counts.closed === 1);
  look();
  await until(() => counts.closed === 2);
  // Others may be due before the first has ended.
  for (let i = 0; i < 5; i += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    look();
  }
  await watch.close();
  deepEqual([counts.arrivals, counts.listening, warnings], [2, 1, []]);
});

Deno.test("a server that its own connection does not reach listens anew and says so once", async () => {
  await using server = await watched();
  const { watch, look, connect, counts, warnings, told } = server;
  await connect();
  await until(() => counts.closed === 1);
  // As where the runtime has stopped to accept: the system makes the connection, and nobody hears of it.
  told.isDeaf = true;
  for (const times of [2, 3]) {
    await until(() => {
      watch.doubt();
      look();
      return counts.listening === times;
    });
    equal(warnings.length, 1);
    match(warnings.join(), /listening anew/);
  }
});
