// Runs no-op jobs: `beanstalkd-worker.mjs BEANSTALKD_PORT CONNECTIONS MILESTONES`. Each connection deletes
// its last job and reserves the next one in one write. It prints `ran N` for each milestone.
import { openBeanstalkd } from "./beanstalkd-client.mjs";

const [store, connections, milestones = ""] = process.argv.slice(2);
const announced = new Set(milestones.split(",").map(Number));
let ran = 0;

async function work(ask) {
  let reserved = ask("reserve");
  for (;;) {
    const [word, id] = await reserved;
    if (word !== "RESERVED") throw new Error(word);
    const deleted = ask(`delete ${id}`);
    reserved = ask("reserve");
    const [answer] = await deleted;
    if (answer !== "DELETED") throw new Error(answer);
    if (announced.has(++ran)) console.log(`ran ${ran}`);
  }
}

for (let index = 0; index < Number(connections); index++) void work(await openBeanstalkd(Number(store)));
console.log("ready");
