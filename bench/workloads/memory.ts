import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startForebayUnderTest } from "../forebay-server.ts";
import { startClient } from "../load-client.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { type Case, figureGoal, type Figures, type Scale, type Workload } from "../workload.ts";

const polls = (count: number): string => `${count.toLocaleString("en")} parked polls`;
const MOST = 15_000;

/** W5: what waiting costs the server in memory, workers and jobs. */
export const MEMORY: Workload = {
  id: "memory",
  title: "W5: memory of the server",
  about:
    "Resident memory ten seconds after the last call, when the runtime has returned what only the calls " +
    "needed. A parked poll is a connection with a job-take that waits.",
  rounds: 2,
  minutes: 3,
  columns: [
    { key: "each", title: "kB for each", digits: 2 },
    { key: "memory", title: "memory, MB", digits: 1 },
  ],
  goals: [5_000, MOST].map((count) =>
    figureGoal({
      what: `W5 memory of each of ${polls(count)}, kB`,
      row: polls(count),
      key: "each",
      must: { most: 8 },
      aim: { most: 6 },
      digits: 2,
    }),
  ),
  async cases(scale) {
    const parked = [5_000, MOST].map((count): Case => ({
      name: polls(count),
      measure: async () => [
        {
          name: polls(count),
          figures: await parkedPolls(scale.isQuick ? count / 100 : count, scale),
        },
      ],
    }));
    const name = "100,000 queued jobs";
    const queued: Case = { name, measure: async () => [{ name, figures: await queuedJobs(scale) }] };
    return [...parked, queued];
  },
};

async function parkedPolls(count: number, scale: Scale): Promise<Figures> {
  const { server, port, endpoint, token, clean } = await startForebayUnderTest(scale.build);
  const script = join(import.meta.dir, "../load/parked-polls.ts");
  const load = new MeasuredProcess([process.execPath, script, String(port), endpoint, token, String(count)]);
  try {
    await rest(scale);
    const before = server.memory();
    load.write("begin");
    await load.line("parked");
    await rest(scale);
    const memory = server.memory();
    return { each: ((memory - before) * 1_024) / count, memory };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
    await clean();
  }
}

async function queuedJobs(scale: Scale): Promise<Figures> {
  const { server, port, endpoint, key, clean } = await startForebayUnderTest(scale.build);
  const client = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
  const [few, many] = scale.isQuick ? [100, 1_000] : [1_000, 100_000];
  try {
    await client.submit(few);
    await rest(scale);
    const before = server.memory();
    await client.submit(many - few);
    await rest(scale);
    const memory = server.memory();
    return { each: ((memory - before) * 1_024) / (many - few), memory };
  } finally {
    await Promise.all([client.stop(), server.stop()]);
    await clean();
  }
}

function rest({ isQuick }: Scale): Promise<void> {
  return pause(isQuick ? 200 : 10_000);
}
