import type { SeededRandom } from "../crash/seeded-random.ts";
import type { PostgresPair } from "../support/postgres-pair.ts";
import { killIfThere } from "../support/processes.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import type { FaultKind } from "./fault-plan.ts";

/** What there is to strike. */
export interface Targets {
  readonly pair: PostgresPair;
  readonly servers: readonly [ServerProcess, ServerProcess];
}

const CONNECTIONS = "SELECT pid FROM pg_stat_activity WHERE application_name = 'forebay' ORDER BY pid";

const LISTENERS = `
  SELECT pid FROM pg_stat_activity WHERE application_name = 'forebay' AND query LIKE 'LISTEN%' ORDER BY pid`;

const END = "SELECT pg_terminate_backend($1::integer) AS done";

/** Breaks one thing, and sees to it that there is another one in its place. */
export async function strike(kind: FaultKind, targets: Targets, random: SeededRandom): Promise<void> {
  const { pair, servers } = targets;
  if (kind === "server") {
    const server = random.pick(servers);
    await server.kill();
    await Bun.sleep(random.integer(0, 300));
    await server.startAgain();
  } else if (kind === "primary") {
    // What it commits from then on dies with it, so it must acknowledge none of it.
    if (random.chance(0.5)) await pair.cutOff();
    await Bun.sleep(random.integer(0, 200));
    await pair.failOver();
    await Bun.sleep(random.integer(0, 300));
    await pair.startStandby();
  } else if (kind === "standby") {
    await pair.killStandby();
    await Bun.sleep(random.integer(0, 800));
    await pair.startStandby();
  } else if (kind === "backend") killIfThere(await oneOf(CONNECTIONS, pair, random));
  else if (kind === "connection") await end(await oneOf(CONNECTIONS, pair, random), pair);
  else {
    const ended = await oneOf(LISTENERS, pair, random);
    await end(ended, pair);
    await until("every server listens again", async () => {
      const listening = await pidsOf(LISTENERS, pair);
      return listening.length >= servers.length && !listening.includes(ended);
    });
  }
}

async function end(pid: number, pair: PostgresPair): Promise<void> {
  await pair.ask(END, [String(pid)]);
}

async function pidsOf(which: string, pair: PostgresPair): Promise<number[]> {
  return (await pair.ask<{ pid: number }>(which)).map(({ pid }) => pid);
}

function oneOf(which: string, pair: PostgresPair, random: SeededRandom): Promise<number> {
  return until("there is a connection to end", async () => {
    const [first, ...rest] = await pidsOf(which, pair);
    return first !== undefined && random.pick([first, ...rest]);
  });
}
