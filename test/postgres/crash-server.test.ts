import { expect, test } from "bun:test";
import { crashRounds } from "../crash-server/crash-rounds.ts";
import { NOTHING_WRONG, wrongOf } from "../crash-server/judge.ts";
import { killPlan } from "../crash-server/kill-plan.ts";
import { tableOf } from "../history/table.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { SEED } from "../support/seed.ts";

/** `SEED=… KILLS=…` repeats the plan of a run; the moment of a kill within it is the machine's. */
const KILLS = Number(process.env["KILLS"] ?? 30);

const postgres = suiteDatabases();

test(
  `P1 to P4: ${KILLS} kills of a server on PostgreSQL lose nothing and double nothing (SEED=${SEED})`,
  async () => {
    const { url } = await postgres().lendDatabase();
    const rounds = await crashRounds(SEED, KILLS, killPlan, url);
    const { orphans, files, verdict, counters, answers, ...reached } = rounds;
    process.stderr.write(
      tableOf(`crash of the server on PostgreSQL: SEED=${SEED} ${JSON.stringify(reached)}`, verdict),
    );

    const wrong = { ...wrongOf({ verdict, counters, answers }), orphans, files };
    expect(wrong).toEqual({ ...NOTHING_WRONG, orphans: [], files: [] });
    expect(reached.insideCommit).toBeGreaterThan(0);
    expect(reached.workersKilled).toBeGreaterThan(0);
  },
  KILLS * 6_000 + 120_000,
);
