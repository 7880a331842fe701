import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { stopRunning, type Target } from "../contestant.ts";
import { ECHO } from "../contestants/echo.ts";
import { forebayLibrary, forebayPublic } from "../contestants/forebay.ts";
import { startClient } from "../load-client.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import {
  type Case,
  type Figures,
  figuresOf,
  type Goal,
  median,
  type Row,
  type Scale,
  type Workload,
} from "../workload.ts";

const PUBLIC = "Forebay, public protocol";
const LIBRARY = "Forebay, own library on Bun, exchange";
const COMMIT = "bare commit: append 4 kB, fdatasync";
const RATES = [10, 100, 1_000];
const SECONDS = 12;

const at = (name: string, rate: number): string => `${name}, ${rate}/s`;
const of = (round: ReadonlyMap<string, Figures>, row: string, key: string): number =>
  round.get(row)?.[key] ?? Number.NaN;

const goals: readonly Goal[] = [
  {
    what: "W2 runsync at 100/s: p99, × p50",
    must: { most: 4 },
    digits: 1,
    requires: (name) => name === PUBLIC,
    values: (rounds) =>
      rounds
        .map((round) => of(round, at(PUBLIC, 100), "p99") / of(round, at(PUBLIC, 100), "p50"))
        .filter(Number.isFinite),
  },
  {
    what: "W2 runsync at 100/s: p50, × (two bare round trips + two bare commits)",
    aim: { most: 2 },
    digits: 2,
    requires: (name) => [PUBLIC, ECHO.name, COMMIT].includes(name),
    values(rounds) {
      const commit = median(figuresOf(rounds, COMMIT, "p50"));
      return rounds
        .map((round) => {
          const floor = 2 * of(round, at(ECHO.name, 100), "p50") + 2 * commit;
          return of(round, at(PUBLIC, 100), "p50") / floor;
        })
        .filter(Number.isFinite);
    },
  },
];

/** W2: how long a caller of runsync waits at a steady rate. */
export const RUNSYNC: Workload = {
  id: "runsync",
  title: "W2: runsync at a steady rate",
  about:
    "Calls arrive at a fixed rate, whether or not the earlier ones are answered; waits count from the " +
    "moment a call is due. The handler does nothing. Beside it: the runtime alone, and a bare commit on " +
    "this disk.",
  rounds: 3,
  minutes: 7,
  columns: [
    { key: "p50", title: "p50, ms", digits: 2 },
    { key: "p99", title: "p99, ms", digits: 2 },
    { key: "max", title: "worst, ms", digits: 1 },
    { key: "rate", title: "calls/s", digits: 0 },
    { key: "coldP50", title: "cold: p50 of the first 20, ms", digits: 2 },
  ],
  goals,
  async cases(scale) {
    return [
      { name: COMMIT, isPeer: true, measure: async () => [{ name: COMMIT, figures: bareCommits(scale) }] },
      ...[
        ECHO,
        forebayPublic(scale.build, PUBLIC),
        forebayLibrary(scale.build, LIBRARY, "Bun", "exchange"),
      ].map((contestant): Case => ({
        name: contestant.name,
        isPeer: contestant.isPeer === true,
        async measure() {
          const running = await contestant.start([]);
          try {
            const target = { ...running.target, path: running.target.path.replace(/run$/, "runsync") };
            return await measureRates(contestant.name, target, scale);
          } finally {
            await stopRunning(running);
          }
        },
      })),
    ];
  },
};

/** The rates one after the other on one server. */
async function measureRates(name: string, target: Target, scale: Scale): Promise<Row[]> {
  const client = await startClient(target);
  try {
    const cold = await client.submit(20, 20);
    await client.submit(scale.warmUp);
    const rows: Row[] = [];
    for (const rate of RATES) {
      const calls = Math.ceil(rate * (scale.isQuick ? 0.5 : SECONDS));
      rows.push({
        name: at(name, rate),
        figures: { ...(await client.submit(calls, rate)), coldP50: cold.p50 },
      });
    }
    return rows;
  } finally {
    await client.stop();
  }
}

function bareCommits(scale: Scale): Figures {
  const file = openSync(join(temporaryDirectory("bare-commit-"), "log"), "w");
  const page = Buffer.alloc(4_096, "x");
  const count = scale.isQuick ? 20 : 1_000;
  const startedAt = performance.now();
  const waits = Array.from({ length: count }, () => {
    const from = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - from;
  }).sort((a, b) => a - b);
  const rate = (count * 1_000) / (performance.now() - startedAt);
  closeSync(file);
  const [p50 = 0, p99 = 0, max = 0] = [0.5, 0.99, 1].map(
    (share) => waits[Math.min(count - 1, Math.floor(count * share))],
  );
  return { p50, p99, max, rate };
}
