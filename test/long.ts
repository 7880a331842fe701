import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runSuite } from "./support/run-suite.ts";
import { type Suite, SUITES } from "./support/suites.ts";

// `npm run test:long -- --minutes 30`: the suites that meet something new with every seed, again and again.
// The ledger has a line for each round, so a run goes on where the ones before it ended: the suite that has
// had the least time is next.

/** What each suite is told beside its seed. */
const LONG_SUITES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  store: { RUNS: "10" },
  model: {},
  simulation: { STEPS: "10000000" },
  "crash of the store": {},
  "crash of the server": {},
  failover: { FAULTS: "200" },
  "fleet kills": { KILLS: "1000" },
  "container kills": { KILLS: "300" },
  gpus: { KILLS: "200" },
  hosts: { KILLS: "200" },
  fuzz: { REQUESTS: "100000" },
  mutations: {},
};

/** No part of `npm test`: a sample takes half an hour. */
const MUTATIONS: Suite = {
  name: "mutations",
  command: [process.execPath, "test/mutation/mutate.ts", "--sample", "200", "--least", "80"],
  isQuick: false,
};

const LEDGER = join(import.meta.dir, "long-ledger.jsonl");

interface Round {
  readonly at: string;
  readonly commit: string;
  readonly suite: string;
  /** `SEED=<seed>`, with the variables of the suite, repeats the round. */
  readonly seed: number;
  readonly seconds: number;
  readonly passed: number;
  readonly failed: number;
}

const { values } = parseArgs({ options: { minutes: { type: "string", default: "30" } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes must be a number above 0, got ${values.minutes}.`);

const commit = spawnSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).stdout.trim();
const rounds = earlierRounds();
const endsAt = performance.now() + minutes * 60_000;
let failures = 0;
do {
  const round = await runRound(suiteWithLeastTime());
  rounds.push(round);
  appendFileSync(LEDGER, `${JSON.stringify(round)}\n`);
  failures += round.failed;
} while (performance.now() < endsAt);

console.log("\n--- the ledger: rounds, hours and failures of each suite ---");
for (const name of Object.keys(LONG_SUITES)) {
  const own = rounds.filter(({ suite }) => suite === name);
  const failed = own.filter((round) => round.failed > 0);
  console.log(
    `${name}: ${own.length} rounds, ${(secondsOf(name) / 3_600).toFixed(2)} h, ${failed.length} failed`,
  );
}
process.exit(failures === 0 ? 0 : 1);

function earlierRounds(): Round[] {
  if (!existsSync(LEDGER)) return [];
  const lines = readFileSync(LEDGER, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Round => JSON.parse(line));
}

function secondsOf(name: string): number {
  return rounds.filter(({ suite }) => suite === name).reduce((sum, { seconds }) => sum + seconds, 0);
}

function suiteWithLeastTime(): Suite {
  const suites = [...SUITES, MUTATIONS].filter(({ name }) => Object.hasOwn(LONG_SUITES, name));
  return suites.reduce((least, suite) => (secondsOf(suite.name) < secondsOf(least.name) ? suite : least));
}

async function runRound(suite: Suite): Promise<Round> {
  const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
  const env = { ...LONG_SUITES[suite.name], SEED: String(seed) };
  const at = new Date().toISOString();
  const { seconds, passed, failed } = await runSuite({ ...suite, env });
  return { at, commit, suite: suite.name, seed, seconds: Math.round(seconds), passed, failed };
}
