import { expect, test } from "bun:test";
import { type Plan, planOf } from "./plan.ts";
import { REGRESSIONS } from "./regressions.ts";
import { shrink } from "./shrink.ts";
import { simulate } from "./simulate.ts";
import { Totals } from "./totals.ts";

/** The first world's seed; each further world has the next one. */
const SEED = Number(process.env["SEED"] ?? "1");
const STEPS = Number(process.env["STEPS"] ?? "400000");
/** A plan in a file, as a failure prints it, instead of those of the seeds. */
const PLAN = process.env["PLAN"];

/** Fewer steps need not meet everything. */
const ENOUGH_TO_MEET_ALL = 150_000;

/** How long a failing plan is shrunk, ms. The zoo only asks whether it fails. */
const SHRINK_TIME = process.env["ZOO"] === "true" ? 0 : STEPS > 1_000_000 ? 300_000 : 15_000;

test("the same seed gives the same trace, byte for byte", async () => {
  const plan = planOf(SEED);
  const [one, two, other] = [await simulate(plan), await simulate(plan), await simulate(planOf(SEED + 1))];
  expect(two.digest).toBe(one.digest);
  expect(two.steps).toBe(one.steps);
  expect(other.digest).not.toBe(one.digest);
});

test("a failing plan is shrunk to what it needs to fail", async () => {
  const plan = planOf(SEED);
  const needed = [plan.items[7], plan.items[12], plan.items[13]];
  const fails = async ({ items }: Plan): Promise<boolean> =>
    needed.every((item) => items.some((other) => other === item));
  const { items } = await shrink(plan, fails, () => false);
  expect<readonly unknown[]>(items).toEqual(needed);
});

for (const { sentence, plan } of REGRESSIONS) {
  test(`regression: ${sentence}`, async () => {
    expect((await simulate(plan)).failure).toBeUndefined();
  });
}

test.if(PLAN === undefined)("no step of any world breaks a promise, and all come to rest", async () => {
  const totals = new Totals();
  const began = performance.now();
  for (let seed = SEED; totals.steps < STEPS; seed++) {
    const plan = planOf(seed);
    const simulated = await simulate(plan);
    totals.add(simulated);
    if (simulated.failure !== undefined) await failed(plan, simulated.failure);
  }
  print(totals.table((performance.now() - began) / 1_000));
  if (STEPS >= ENOUGH_TO_MEET_ALL) expect(totals.missing).toEqual([]);
});

test.if(PLAN !== undefined)("the given plan breaks no promise", async () => {
  const plan: Plan = await Bun.file(PLAN ?? "").json();
  const { failure } = await simulate(plan, (line) => print(line));
  expect(failure).toBeUndefined();
});

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints how to repeat it, and the smallest plan that fails too. */
async function failed(plan: Plan, failure: string): Promise<never> {
  const { seed } = plan;
  print(`World ${seed} failed: ${failure}`);
  print(`Repeat it with: SEED=${seed} STEPS=1 npm test -- simulation`);
  const until = performance.now() + SHRINK_TIME;
  const isFailing = async (smaller: Plan): Promise<boolean> =>
    (await simulate(smaller)).failure !== undefined;
  const smallest = await shrink(plan, isFailing, () => performance.now() > until);
  const { failure: smallestFailure } = await simulate(smallest);
  print(`With ${smallest.items.length} of ${plan.items.length} items: ${smallestFailure}`);
  print(`PLAN=<file> npm test -- simulation traces this plan:\n${JSON.stringify(smallest)}`);
  throw new Error(`SEED=${seed}: ${failure}`);
}
