// BullMQ behind Fastify: a POST stores a job and answers its id, as Forebay's run does.
import { Queue } from "bullmq";
import Fastify from "fastify";

const [port, redisPort] = process.argv.slice(2).map(Number);
const queue = new Queue("bench", { connection: { host: "127.0.0.1", port: redisPort } });
// Results go at once, which costs BullMQ least; those of Forebay stay for two seconds and then go.
const options = { removeOnComplete: true };
const server = Fastify({ bodyLimit: 10_485_760 });
server.post("/run", async (request) => {
  const job = await queue.add("job", request.body, options);
  return { id: job.id, status: "IN_QUEUE" };
});
await server.listen({ host: "127.0.0.1", port });
console.log("ready");
