/** Entry point of the workers of workers.ts. */
import { answerOrder } from "../../../measure/worker_order.ts";

addEventListener("message", ({ data }) => postMessage(answerOrder(data)));
