import { expect, test } from "bun:test";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

const PARKED = 200;
const SUBMITTERS = 32;
const WAITING = 5_000;

/** Answers and broken connections alike: the server is going. */
const ignore = (): undefined => undefined;

test("SIGTERM ends the server in order amid parked calls, submissions and a purge", async () => {
  const server = await ServerProcess.start({
    // Longer than a server that stops is given.
    flags: { "take-hold-ms": "600000" },
  });
  const calls: Promise<unknown>[] = [];
  try {
    const purged = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const busy = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const parked = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const workers = await server.workers(parked, PARKED);
    for (const worker of workers) calls.push(worker.take().catch(ignore));
    let submitted = 0;
    let isOver = false;
    const submitter = async (endpoint: string, enough: () => boolean): Promise<void> => {
      while (!enough()) {
        const answer = await server.post(`/v2/${endpoint}/run`, { input: {} }).catch(ignore);
        if (answer?.status !== 200) return;
        submitted++;
      }
    };
    const first = Array.from({ length: SUBMITTERS }, () => submitter(purged, () => submitted >= WAITING));
    await Promise.all(first);
    for (let n = 0; n < SUBMITTERS; n++) calls.push(submitter(busy, () => isOver));
    calls.push(server.post(`/v2/${purged}/purge-queue`).catch(ignore));
    await until("submissions were under way", () => submitted > WAITING + 100);
    await server.terminate();
    isOver = true;
  } finally {
    await Promise.all(calls);
    await server.stop();
  }
  expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
}, 60_000);
