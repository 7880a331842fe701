import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { SEED } from "../support/seed.ts";
import { crashRounds } from "./crash-rounds.ts";
import { TRACER } from "./killed-run.ts";
import type { SeededRandom } from "./seeded-random.ts";

const KILLS = Number(process.env["KILLS"] ?? 40);

interface Site {
  readonly name: string;
  readonly upTo: number;
}

/** The calls by which the store changes what is on the disk, and up to which one a kill may wait for them. */
const SITES: readonly [Site, ...Site[]] = [
  { name: "pwrite64", upTo: 60 },
  { name: "pwrite64", upTo: 600 },
  { name: "fsync", upTo: 12 },
  { name: "fsync", upTo: 80 },
  { name: "unlink", upTo: 3 },
];

const isTraceable = spawnSync(TRACER, ["-qq", "-o", "/dev/null", "true"]).status === 0;
const name = `P1: ${KILLS} kills before a write, sync or removal lose nothing (SEED=${SEED})`;

if (isTraceable) test(name, run, KILLS * 6_000);
else test.skip(`${name} (skipped: ${TRACER} cannot run here)`, run);

async function run(): Promise<void> {
  const reached = await crashRounds(SEED, KILLS, (random: SeededRandom) => {
    const { name, upTo } = random.pick(SITES);
    return { at: "system call", name, number: random.integer(1, upTo) };
  });

  expect(reached.asPlanned).toBeGreaterThan(KILLS / 2);
  expect(reached.insideCommit).toBeGreaterThan(0);
}
