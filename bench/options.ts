import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Scale } from "./workload.ts";

export interface Options {
  /** Workloads to run; all but the extra ones, if none is named. */
  readonly ids: readonly string[];
  /** Those of each workload, unless the user gives a number. */
  readonly rounds: number | undefined;
  /** Only cases whose names contain this. */
  readonly only: string;
  /** The directory of another Forebay to compare with. */
  readonly against: string | undefined;
  /** Where the report goes. */
  readonly out: string;
  readonly list: boolean;
  readonly help: boolean;
  readonly scale: Scale;
}

export const USAGE = `npm run bench -- [workload ...] [flags]

  --quick             few jobs and one round: checks that everything runs
  --rounds N          rounds; tables show their medians (default: see --list; with --against 5)
  --jobs N            jobs of a measurement (default 40000)
  --warm-up N         jobs before each measurement; they are the cold figures (default 20000)
  --only TEXT         only cases whose names contain TEXT
  --against DIR       compare with the Forebay in DIR, in alternating runs; name the workloads
  --out DIR           directory of the report (default dist/bench)
  --waverless SOURCE  where git fetches garysng/waverless from (default GitHub); or the variable WAVERLESS
  --pgmq SOURCE       where git fetches pgmq/pgmq from (default GitHub); or the variable PGMQ
  --list              lists the workloads with the time that each takes`;

const FULL = { jobs: 40_000, warmUp: 20_000 };
const QUICK = { jobs: 200, warmUp: 100 };

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
      against: { type: "string" },
      out: { type: "string", default: "dist/bench" },
      waverless: { type: "string" },
      pgmq: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const size = values.quick ? QUICK : FULL;
  const given = (flag: "rounds" | "jobs" | "warm-up"): number | undefined => {
    const text = values[flag];
    if (text === undefined) return undefined;
    if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${flag} must be a number of at least 1, not ${text}`);
    return Number(text);
  };
  return {
    ids: positionals,
    rounds: given("rounds") ?? (values.quick ? 1 : undefined),
    only: values.only,
    against: values.against,
    out: values.out,
    list: values.list,
    help: values.help,
    scale: {
      build: join(import.meta.dir, ".."),
      isQuick: values.quick,
      warmUp: given("warm-up") ?? size.warmUp,
      jobs: given("jobs") ?? size.jobs,
      waverless: values.waverless ?? env["WAVERLESS"],
      pgmq: values.pgmq ?? env["PGMQ"],
    },
  };
}
