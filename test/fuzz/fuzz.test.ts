import { beforeAll, describe, expect, test } from "bun:test";
import { FAULTLESS } from "../history/faults.ts";
import { tableOf } from "../history/table.ts";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { SEED } from "../support/seed.ts";
import { type Ran, fuzzRun } from "./fuzz-run.ts";
import type { Check } from "./judge.ts";
import { ALL_OPERATIONS } from "./operations.ts";

const REQUESTS = Number(process.env["REQUESTS"] ?? 20_000);

/** MB at the end of a run; it is at about 100 after a quarter of it, and stays there. */
const MEMORY_LIMIT = 400;

/** The checks of Schemathesis and the rules of RESTler that apply here, and what each promises. */
const CHECKS: readonly [Check, string][] = [
  ["answered", "every request is answered once, and no connection is dropped"],
  ["not_a_server_error", "no request is answered with 5xx"],
  ["response_schema_conformance", "every answer has the documented shape, every error a documented code"],
  ["positive_data_acceptance", "what is right is not refused"],
  ["negative_data_rejection", "what has one thing wrong is refused with the code for it"],
  ["ignored_auth", "no operation goes without a key, or with a wrong one"],
  [
    "UseAfterFree",
    "a deleted endpoint, its tokens, a revoked key, a purged and a forgotten job are gone everywhere",
  ],
  ["LeakageRule", "a creation that was refused leaves nothing"],
  ["ResourceHierarchy", "a job is reached through its own endpoint only"],
  [
    "NameSpaceRule",
    "what is another account's is not there; tokens open their own endpoint's worker routes alone",
  ],
  ["InvalidDynamicObject", "ids that were never given out are not found, broken ones match no path"],
  ["ensure_resource_availability", "what was created is there at once"],
];

describe(`${REQUESTS} requests to a server with live workers (SEED=${SEED})`, () => {
  let ran: Ran;

  beforeAll(
    async () => {
      ran = await fuzzRun(SEED, REQUESTS);
      const { journal, jobs, memory, seconds } = ran;
      const checks = JSON.stringify(Object.fromEntries(journal.checks));
      const figures = {
        answered: journal.answered,
        left: journal.left,
        jobs,
        memory,
        slowest: journal.slowest,
      };
      const title = `fuzz: SEED=${SEED} ${seconds.toFixed(1)} s ${JSON.stringify(figures)} ${checks}`;
      process.stderr.write(tableOf(title, ran.verdict));
    },
    30_000 + REQUESTS * 20,
  );

  for (const [check, promise] of CHECKS) {
    test(`${check}: ${promise}`, () => {
      expect(ran.journal.of(check)).toEqual([]);
      expect(ran.journal.checks.get(check)).toBeGreaterThan(0);
    });
  }

  test("its operations are those of the OpenAPI document", () => {
    const isElsewhere = /^\/$|^\/docs|^\/metrics$|^\/console(\/assets|$)/;
    const documented = new OpenApiChecks("spec").operations.filter(({ path }) => !isElsewhere.test(path));
    const fuzzed = ALL_OPERATIONS.flatMap(({ methods, path }) =>
      // HEAD is answered as GET is.
      methods.filter((method) => method !== "HEAD").map((method) => `${method} ${path}`),
    );
    expect(fuzzed.toSorted()).toEqual(documented.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  // Those are for workers that Forebay starts, which this test does not name, and would not spare.
  const ofManagedWorkers = new Set([
    "stop a worker",
    "replace a worker",
    "read a worker's log",
    "follow a v2 worker's log",
  ]);

  // There is no engine that could be another host, and no GPU.
  const ofEngines = new Set(["create a host", "delete a host", "read a v2 GPU type"]);

  test("each operation was accepted and refused", () => {
    const oneSided = ALL_OPERATIONS.filter(({ name }) => {
      if (ofManagedWorkers.has(name) || ofEngines.has(name)) return false;
      const verdicts = [...(ran.journal.answers.get(name)?.keys() ?? [])];
      return !verdicts.includes("ok") || verdicts.length < 2;
    });
    expect(oneSided.map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ["drained", "every job ends once nobody asks for anything any more"],
    ["canaries", "jobs run through, before and after"],
    ["counters", "health counts what the records of all known jobs tell: nothing acknowledged is lost"],
    ["inputs", "every input is kept byte for byte"],
    ["workers", "no call of a live worker was in vain"],
    ["stop", "on SIGTERM the server ends with 0 in time, and leaves no worker behind"],
    ["log", "the server's log has no error"],
    ["files", "database and payload files are whole"],
  ] as const)("%s: %s", (look) => {
    expect(ran.aftermath[look]).toEqual([]);
  });

  test("an order of the calls explains what clients saw of each job", () => {
    expect(ran.verdict.faults).toEqual(FAULTLESS);
    expect(ran.verdict.acknowledged).toBeGreaterThan(REQUESTS / 100);
  });

  test("the server's memory stays within bounds", () => {
    expect(ran.memory.late).toBeGreaterThan(0);
    expect(ran.memory.late).toBeLessThan(MEMORY_LIMIT);
  });
});
