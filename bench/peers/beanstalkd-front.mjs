// beanstalkd behind Fastify: `beanstalkd-front.mjs PORT BEANSTALKD_PORT`.
import { serveFront } from "./front.mjs";
import { openBeanstalkd } from "./beanstalkd-client.mjs";

const CONNECTIONS = 8;
const [port, store] = process.argv.slice(2);
const connections = await Promise.all(
  Array.from({ length: CONNECTIONS }, () => openBeanstalkd(Number(store))),
);
let next = 0;
await serveFront(
  Number(port),
  async (body) => {
    const text = Buffer.from(JSON.stringify(body)).toString("latin1");
    const put = connections[next++ % CONNECTIONS];
    const [word, id] = await put(`put 0 0 600 ${text.length}`, text);
    if (word !== "INSERTED") throw new Error(word);
    return id;
  },
  async () => undefined,
);
