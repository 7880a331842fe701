import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startForebayUnderTest } from "./forebay.ts";
import { MeasuredProcess } from "./measured-process.ts";

// `node bin/bun.mjs bench/memory.ts`: what waiting costs the server in memory, jobs and workers.

/** Long enough for the runtime to have given back what it needed only for the calls, ms. */
const REST = 5_000;

await queuedJobs(1_000, 100_000);
await parkedPolls(5_000);

async function queuedJobs(few: number, many: number): Promise<void> {
  const { server, port, endpoint, key, clean } = await startForebayUnderTest();
  const submit = async (jobs: number): Promise<number> => {
    const script = join(import.meta.dir, "load/submitters.ts");
    const target = [String(port), `/v2/${endpoint}/run`, key, String(jobs)];
    const submitters = new MeasuredProcess([process.execPath, script, ...target]);
    await submitters.line("p50");
    await submitters.stop();
    await pause(REST);
    return server.memory();
  };
  const [before, after] = [await submit(few), await submit(many - few)];
  console.log(`${few} jobs queued: ${before.toFixed(1)} MB; ${many}: ${after.toFixed(1)} MB`);
  await server.stop();
  await clean();
}

async function parkedPolls(count: number): Promise<void> {
  const { server, port, endpoint, workerEnv, clean } = await startForebayUnderTest();
  await pause(REST);
  const before = server.memory();
  const sockets: { end(): void }[] = [];
  for (let worker = 0; worker < count; worker++) {
    const request =
      `GET /v2/${endpoint}/job-take/w${worker}?gpu=x&job_in_progress=0 HTTP/1.1\r\n` +
      `Host: bench\r\nAuthorization: ${workerEnv["RUNPOD_AI_API_KEY"]}\r\n\r\n`;
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open: (opened) => void opened.write(request),
        data: (_, answer) => {
          throw new Error(`a parked poll was answered: ${answer.toString()}`);
        },
      },
    });
    sockets.push(socket);
  }
  await pause(REST);
  const each = ((server.memory() - before) * 1_024) / count;
  console.log(`${count} polls parked: ${each.toFixed(2)} kB each`);
  for (const socket of sockets) socket.end();
  await server.stop();
  await clean();
}
