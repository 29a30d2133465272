import { equal } from "node:assert/strict";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { AcceptWatch } from "./accept_watch.ts";

Deno.test("a server connects to itself after a doubt, and not again until the next one", async () => {
  const { setInterval } = globalThis;
  let look = () => {};
  let arrivals = 0;
  let closed = 0;
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  // Looks are made by hand.
  Object.assign(globalThis, { setInterval: (work: () => void) => look = work });
  const watch = new AcceptWatch(server, address, 8, (message) => equal(message, ""));
  Object.assign(globalThis, { setInterval });
  server.on("connection", (socket: Socket) => {
    arrivals += 1;
    socket.resume();
    socket.on("close", () => closed += 1);
    watch.arrived(socket);
  });
  const until = async (condition: () => boolean) => {
    for (let i = 0; i < 5000 && !condition(); i += 1) await new Promise((resolve) => setTimeout(resolve, 2));
    equal(condition(), true);
  };
  try {
    // Nothing has arrived yet, so nothing would.
    watch.doubt();
    look();
    (await Deno.connect({ hostname: "127.0.0.1", port: address.port })).close();
    // Its end is a doubt.
    await until(() => closed === 1);
    look();
    await until(() => closed === 2);
    // Others may be due before the first has ended.
    for (let i = 0; i < 5; i += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      look();
    }
    await watch.close();
    equal(arrivals, 2);
  } finally {
    server.close();
  }
});
