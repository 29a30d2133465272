/**
 * Runs a command whose decode workers never answer about files named `never`; a line on standard error tells of each question.
 * Usage: NAME ARGUMENTS...
 */
import { run } from "../../cli/commands.ts";
import type { COMMANDS } from "../../cli/command_line.ts";
import type { ToWorker } from "../../session/worker/orders.ts";

const asked = new WeakMap<Worker, Set<string>>();
const { postMessage } = Worker.prototype;

Worker.prototype.postMessage = function (this: Worker, message: ToWorker, transfer?: unknown) {
  const keys = asked.get(this) ?? new Set();
  asked.set(this, keys);
  if (message.type === "ask" && message.source && /never\.\w+$/.test(message.source.request.path)) {
    keys.add(message.key);
  }
  if (message.type === "ask" && keys.has(message.key)) {
    console.error("a question without an answer");
    return;
  }
  postMessage.call(this, message, transfer as StructuredSerializeOptions);
};

const [name, ...args] = Deno.args;
Deno.exit(await run(name as keyof typeof COMMANDS, args));
