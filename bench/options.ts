import { parseArgs } from "node:util";
import type { Scale } from "./workload.ts";

export interface Options {
  /** Workloads to run; all, if none is named. */
  readonly ids: readonly string[];
  readonly rounds: number;
  /** Only cases whose names contain this. */
  readonly only: string;
  /** Where the report goes. */
  readonly out: string;
  readonly list: boolean;
  readonly help: boolean;
  readonly scale: Scale;
}

export const USAGE = `npm run bench -- [workload ...] [flags]

  --quick          few jobs and one round: checks that everything runs
  --rounds N       rounds; the table has their medians (default 3)
  --jobs N         jobs of a measurement (default 40000)
  --warm-up N      jobs before each measurement; they are the cold figures (default 20000)
  --only TEXT      only cases whose names contain TEXT
  --out DIR        directory of the report (default dist/bench)
  --waverless DIR  a clone of github.com/garysng/waverless; or the environment variable WAVERLESS
  --pgmq FILE      pgmq-extension/sql/pgmq.sql of github.com/pgmq/pgmq; or the variable PGMQ
  --list           lists the workloads with the time that each takes`;

const FULL = { rounds: 3, jobs: 40_000, warmUp: 20_000 };
const QUICK = { rounds: 1, jobs: 200, warmUp: 100 };

export function parseOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      jobs: { type: "string" },
      "warm-up": { type: "string" },
      only: { type: "string", default: "" },
      out: { type: "string", default: "dist/bench" },
      waverless: { type: "string" },
      pgmq: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const size = values.quick ? QUICK : FULL;
  const count = (flag: "rounds" | "jobs" | "warm-up", otherwise: number): number => {
    const given = values[flag];
    if (given === undefined) return otherwise;
    if (!/^[1-9]\d*$/.test(given)) throw new Error(`--${flag} must be a number of at least 1, not ${given}`);
    return Number(given);
  };
  return {
    ids: positionals,
    rounds: count("rounds", size.rounds),
    only: values.only,
    out: values.out,
    list: values.list,
    help: values.help,
    scale: {
      isQuick: values.quick,
      warmUp: count("warm-up", size.warmUp),
      jobs: count("jobs", size.jobs),
      waverless: values.waverless ?? env["WAVERLESS"],
      pgmq: values.pgmq ?? env["PGMQ"],
    },
  };
}
