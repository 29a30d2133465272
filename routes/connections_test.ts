import { deepEqual, equal } from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Connections, type Exchange } from "./connections.ts";

/** A connection that notes how it was ended. */
function socketOf() {
  const ends: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    destroy: () => ends.push("destroyed"),
    destroySoon: () => ends.push("ends"),
  });
  return { socket: socket as unknown as Socket, ends };
}

/** An answer on a connection, which ends when `outgoing` closes. */
function exchangeOn(socket: Socket) {
  const outgoing = new EventEmitter();
  return { outgoing, exchange: { incoming: { socket }, outgoing } as unknown as Exchange };
}

Deno.test("a new connection replaces the oldest unused one, then the oldest idle one", () => {
  const connections = new Connections();
  const [used, first, second, newest] = [socketOf(), socketOf(), socketOf(), socketOf()];
  for (const { socket } of [used, first, second, newest]) connections.add(socket);
  const { outgoing, exchange } = exchangeOn(used.socket);
  connections.answers(exchange);
  equal(connections.closeOne(newest.socket), true);
  equal(connections.closeOne(newest.socket), true);
  deepEqual([first.ends, second.ends, used.ends], [["destroyed"], ["destroyed"], []]);
  // One has a running response, the other is the newest.
  equal(connections.closeOne(newest.socket), false);
  outgoing.emit("close");
  equal(connections.closeOne(newest.socket), true);
  deepEqual([used.ends, newest.ends, connections.size], [["destroyed"], [], 1]);
  newest.socket.emit("close");
  equal(connections.size, 0);
});

Deno.test("closes a used connection without a response", () => {
  const connections = new Connections();
  const [running, idle, newest] = [socketOf(), socketOf(), socketOf()];
  for (const { socket } of [running, idle, newest]) connections.add(socket);
  connections.answers(exchangeOn(running.socket).exchange);
  const before = exchangeOn(idle.socket);
  connections.answers(before.exchange);
  before.outgoing.emit("close");
  equal(connections.closeOne(newest.socket), true);
  deepEqual([running.ends, idle.ends], [[], ["destroyed"]]);
});

Deno.test("a finished response does not end the next one on its connection", () => {
  const connections = new Connections();
  const { socket } = socketOf();
  connections.add(socket);
  const [first, second] = [exchangeOn(socket), exchangeOn(socket)];
  connections.answers(first.exchange);
  connections.answers(second.exchange);
  first.outgoing.emit("close");
  equal(connections.running(socket), second.exchange);
  second.outgoing.emit("close");
  equal(connections.running(socket), undefined);
});
