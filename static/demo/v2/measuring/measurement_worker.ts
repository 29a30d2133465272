/** Entry point of the workers of workers.ts. */
import { answerTo } from "../../../measure/worker_order.ts";

addEventListener("message", ({ data }) => postMessage(answerTo(data)));
