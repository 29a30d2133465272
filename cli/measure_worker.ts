/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
/** Entry point of a worker that runs measurements for `acq-server measure --jobs`. It has no permissions. */
import { answerOrder, type WorkerOrder } from "../static/measure/worker_order.ts";

self.onmessage = ({ data }: MessageEvent<WorkerOrder>) => self.postMessage(answerOrder(data));
