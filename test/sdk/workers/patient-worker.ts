import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import * as serverless from "@forebay/worker";

// Each job runs until its id comes on the standard input, or until it is to stop. Its progress shows that
// the worker has it.
const told = new Set<string>();
const ear = new EventEmitter().setMaxListeners(0);
const input = createInterface({ input: process.stdin });
input.on("line", (line) => {
  told.add(line);
  ear.emit("told");
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function patient({ id }: serverless.Job, context: serverless.JobContext): Promise<string> {
  const { signal } = context;
  say(`begun ${id}`);
  context.progress(`with ${process.pid}`);
  try {
    while (!told.delete(id)) await once(ear, "told", { signal });
    return `done by ${process.pid}`;
  } catch (error) {
    say(`stopped ${id}: ${signal.reason.message}`);
    throw error;
  }
}

await serverless.start({ handler: patient, concurrency: 2 });
input.close();
process.stdin.destroy();
say("ended");
