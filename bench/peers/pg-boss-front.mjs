// pg-boss behind Fastify; the worker's process maintains the database.
import { PgBoss } from "pg-boss";
import { serveFront } from "./front.mjs";

const [port, url] = process.argv.slice(2);
const boss = new PgBoss({ connectionString: url, max: 32, supervise: false, schedule: false });
await boss.start();
await boss.createQueue("bench");
await serveFront(
  Number(port),
  (body) => boss.send("bench", body),
  async (id) => {
    const job = await boss.getJobById("bench", id);
    return job?.state === "completed" ? job.output : undefined;
  },
);
