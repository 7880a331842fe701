import { expect } from "bun:test";
import { admit, begin, type Case, ended, expectOnce, RESULT, type Setting } from "./case.ts";

const BOTH = ["own", "shared"] as const;

/** Longer than the delivery lease of 8 s, the worker's lease of 9 s and the hold of a take of 20 s. */
const LONG = 20;
/** Longer than the time after which the SDK cuts its calls, 90 s. */
const VERY_LONG = 150;

/** Jobs that take long, and end as they should: each runs once. */
export const LONG_JOBS: readonly Case[] = [
  {
    name: "sync 20 s, nginx, two servers",
    tokens: BOTH,
    run: (setting) => one(setting, setting.world.pair, "sync", LONG),
  },
  {
    name: "async 20 s",
    tokens: BOTH,
    run: (setting) => one(setting, setting.world.server, "async", LONG),
  },
  {
    name: "sync 150 s",
    tokens: BOTH,
    run: (setting) => one(setting, setting.world.server, "sync", VERY_LONG),
  },
  { name: "async, 4 at once, 20 s and 150 s", tokens: BOTH, run: fourAtOnce },
  { name: "generator, gaps of 20 s", tokens: BOTH, run: generator },
  { name: "interpreter lock held 15 s", tokens: BOTH, run: lockHeld },
];

async function one(
  setting: Setting,
  client: Setting["world"]["pair"],
  form: "sync" | "async",
  seconds: number,
): Promise<string> {
  const begun = await begin(setting, { client, form, input: { seconds } });
  const outcome = await expectOnce(client, begun);
  expect(await client.status(begun.endpoint, begun.id)).not.toHaveProperty("retries");
  begun.worker.kill();
  return outcome;
}

async function fourAtOnce({ world, host, token }: Setting): Promise<string> {
  const { server } = world;
  const endpoint = await server.endpoint();
  const times = [LONG, VERY_LONG, LONG, VERY_LONG];
  const ids = await Promise.all(times.map((seconds) => server.run(endpoint, { seconds })));
  const env = await admit(server, endpoint, token);
  const worker = await host.start({ form: "async", concurrency: times.length, env });
  const records = await Promise.all(ids.map((id) => ended(server, endpoint, id)));
  for (const record of records) {
    expect(record).toMatchObject({ status: "COMPLETED", output: RESULT });
    expect(record).not.toHaveProperty("retries");
  }
  expect(ids.map((id) => worker.executions(id))).toEqual([1, 1, 1, 1]);
  worker.kill();
  return "once";
}

async function generator(setting: Setting): Promise<string> {
  const { server } = setting.world;
  const { endpoint, worker, id } = await begin(setting, {
    client: server,
    form: "generator",
    input: { seconds: LONG },
  });
  expect(await ended(server, endpoint, id)).toMatchObject({
    status: "COMPLETED",
    output: [{ part: 0 }, { part: 1 }, { part: 2 }],
  });
  expect(worker.executions(id)).toBe(1);
  worker.kill();
  return "once";
}

/** A thread cannot ping meanwhile: that worker counts as lost, and its late result counts all the same. */
async function lockHeld(setting: Setting): Promise<string> {
  const { server } = setting.world;
  const input = { seconds: 15, holdsLock: true };
  const begun = await begin(setting, { client: server, form: "sync", input });
  const outcome = await expectOnce(server, begun);
  begun.worker.kill();
  return outcome;
}
