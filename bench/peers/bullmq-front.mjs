// BullMQ behind Fastify.
import { Job, Queue } from "bullmq";
import { backendOf } from "./bullmq-backend.mjs";
import { serveFront } from "./front.mjs";

const [port, store, keep] = process.argv.slice(2);
const { connection, backend } = backendOf(store, 32);
const queue = new Queue("bench", { connection }, ...backend);
await queue.waitUntilReady();
// What goes at once costs BullMQ least; where results are read back, they stay.
const options = { removeOnComplete: keep === "keep" ? false : true };
await serveFront(
  Number(port),
  async (body) => (await queue.add("job", body, options)).id,
  async (id) => {
    const job = await Job.fromId(queue, id);
    return job?.finishedOn ? job.returnvalue : undefined;
  },
);
