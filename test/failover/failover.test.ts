import { expect, test } from "bun:test";
import { NOTHING_WRONG, wrongOf } from "../crash-server/judge.ts";
import { tableOf } from "../history/table.ts";
import { PostgresPair } from "../support/postgres-pair.ts";
import { SEED } from "../support/seed.ts";
import { failoverRounds, type Survived } from "./failover-rounds.ts";

/** `SEED=… FAULTS=…` repeats the plan of a run; the moment of a fault within it is the machine's. */
const FAULTS = Number(process.env["FAULTS"] ?? 50);

test(
  `P1 to P4: ${FAULTS} faults of two servers and two databases lose and double nothing (SEED=${SEED})`,
  async () => {
    await using pair = await PostgresPair.start();
    const survived = await failoverRounds(SEED, FAULTS, pair);
    process.stderr.write(summaryOf(survived));

    const { errors, orphans, workersEnded } = survived;
    const wrong = { ...wrongOf(survived), errors, orphans, workersEnded };
    const none = { ...NOTHING_WRONG, errors: [], orphans: [], workersEnded: [] };
    if (!Bun.deepEquals(wrong, none)) process.stderr.write(linesOf(survived));
    expect(wrong).toEqual(none);
    expect(survived.faults).toHaveLength(FAULTS);
    expect(Object.keys(survived.jobsSeen).toSorted()).toEqual(survived.leaderJobs.toSorted());
    expect(survived.verdict.unknown).toBeGreaterThan(0);
  },
  FAULTS * 6_000 + 180_000,
);

/** The logs of the servers as one. */
function linesOf({ logs }: Survived): string {
  const byTime = logs.toSorted((x, y) => String(x["time"]).localeCompare(String(y["time"])));
  return byTime.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function summaryOf(survived: Survived): string {
  const { faults, verdict, jobsSeen, drainedAfter, ended, logs } = survived;
  const { results, backlog, errors, workersEnded, counters, answers } = survived;
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  const rows = [...kinds].map(([kind, struck]) => {
    const times = struck.map(({ movedAfter }) => movedAfter).toSorted((x, y) => x - y);
    const median = times[Math.floor(times.length / 2)];
    const columns = [times.length, median, times.at(-1)].map((figure) => String(figure).padStart(8));
    return `  ${kind.padEnd(10)}${columns.join("")}`;
  });
  const wrong = { counters, answers, errors, workersEnded };
  const counts = Object.entries(wrong).map(([kind, { length }]) => `${kind} ${length}`);
  return [
    `fail-over: SEED=${SEED}, moving again after, ms`,
    `  fault        count  median    most`,
    ...rows,
    `  drained after ${drainedAfter} ms; background jobs seen after ms ${JSON.stringify(jobsSeen)}`,
    `  ${JSON.stringify({ results, backlog })} ${JSON.stringify(ended)}; ${logs.length} lines in the logs`,
    tableOf(`  ${counts.join(", ")}`, verdict),
  ].join("\n");
}
