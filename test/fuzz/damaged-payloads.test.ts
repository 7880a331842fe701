import { expect, test } from "bun:test";
import { type SeededRandom, seededRandom } from "../crash/seeded-random.ts";
import { changeInDirectory, flip, REMOVED } from "../support/damage.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { SEED } from "../support/seed.ts";

const ROUNDS = 15;
const JOBS = 12;

/** Characters of an input: in the row of the job, in a row of its own, in a file. */
const SIZES: readonly [number, ...number[]] = [10, 5_000, 80_000];

test(`jobs whose payloads are damaged among live ones fail alone (SEED=${SEED})`, async () => {
  await using directory = await temporaryDirectory();
  const random = seededRandom(SEED);
  const server = await TestServer.start({ flags: { data: directory.path, "take-hold-ms": "300" } });
  const endpoint = await server.endpoint();
  const workers = await Promise.all([1, 2, 3].map(() => server.worker(endpoint)));
  const inputs = new Map<string, string>();
  const victims = new Set<string>();

  for (let round = 0; round < ROUNDS; round++) {
    for (let job = 0; job < JOBS; job++) {
      const input = `${round}-${job} ${"x".repeat(random.pick(SIZES))}`;
      inputs.set(await server.run(endpoint, { text: input }), input);
    }
    const waiting = [...inputs.keys()].slice(-JOBS);
    for (const job of waiting.filter(() => random.chance(0.25))) {
      const size = inputs.get(job)?.length ?? 0;
      const change = size > 70_000 && random.chance(0.4) ? REMOVED : flip(random.integer(0, 17));
      await changeInDirectory(directory.path, { endpoint, job, of: "body" }, change);
      victims.add(job);
    }
    await Promise.all(workers.map((worker) => emptied(server, worker, random)));
  }

  let failed = 0;
  for (const [id, input] of inputs) {
    const { status, output, error, retries } = await server.status(endpoint, id);
    // The server still knows what is in the row of a job at the front: then it needs no row.
    const isRead = victims.has(id) && !(input.length < 1_000 && status === "COMPLETED");
    if (isRead) expect([status, error]).toEqual(["FAILED", expect.stringContaining("is damaged")]);
    else expect([status, output, retries]).toEqual(["COMPLETED", input, undefined]);
    if (isRead) failed++;
  }
  expect(failed).toBeGreaterThan(0);
  const { jobs } = (await server.get(`/v2/${endpoint}/health`)).json;
  expect(jobs).toMatchObject({ completed: inputs.size - failed, failed });
  expect(server.log.errors).toHaveLength(failed);
  await server.forebay.stop();
}, 60_000);

interface TakenJob {
  readonly id: string;
  readonly input: { readonly text: string };
}

/** Runs what waits, taking it in any of the ways there are; each job answers its input. */
async function emptied(server: TestServer, worker: TestWorker, random: SeededRandom): Promise<void> {
  const path = `/v2/${worker.env["RUNPOD_ENDPOINT_ID"]}/health`;
  while ((await server.get(path)).json.jobs.inQueue > 0) {
    for (const { id, input } of await taken(worker, random.integer(0, 2))) {
      await worker.done(id, { output: input.text });
    }
  }
}

async function taken(worker: TestWorker, way: number): Promise<TakenJob[]> {
  if (way === 2) {
    const { status, json } = await worker.exchange({ take: 4 });
    expect(status).toBe(200);
    return json.jobs.map(({ job }: { job: TakenJob }) => job);
  }
  const { status, json } = way === 0 ? await worker.take() : await worker.takeBatch(4);
  expect([200, 204]).toContain(status);
  return status === 204 ? [] : [json].flat();
}
