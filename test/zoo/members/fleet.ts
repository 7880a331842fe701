import type { Member } from "../member.ts";

const DECIDE = "src/fleet/decide.ts";

/** How many workers run, and from which release. */
export const MEMBERS: readonly Member[] = [
  {
    name: "more workers than the maximum",
    breaks: "No endpoint has more workers than workersMax",
    file: DECIDE,
    replace: "const room = Math.max(0, limits.workersMax + surge - workers.length);",
    by: "const room = Math.max(0, limits.workersMax + surge - present.length);",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide.test.ts"] },
  },
  {
    name: "fewer workers than the minimum",
    breaks: "workersMin are there without a job",
    file: DECIDE,
    replace: "Math.min(Math.max(wanted, workersMin), workersMax)",
    by: "Math.min(wanted, Math.max(workersMin, workersMax))",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide.test.ts"] },
  },
  {
    name: "busy worker is ended",
    breaks: "A worker that runs a job is not scaled down",
    file: DECIDE,
    replace: "!worker.isBusy && !worker.isStarting && worker.lastJobAt <= before",
    by: "!worker.isStarting && worker.lastJobAt <= before",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide-properties.test.ts"], test: "no busy worker" },
  },
  {
    name: "idle worker is ended at once",
    breaks: "An idle worker stays for its idle timeout",
    file: DECIDE,
    replace: "!worker.isBusy && !worker.isStarting && worker.lastJobAt <= before",
    by: "!worker.isBusy && !worker.isStarting && before > 0",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide.test.ts"] },
  },
  {
    name: "release without proof",
    breaks: "A release starts one worker alone until that has called",
    file: DECIDE,
    replace: "const isAlone = isCrashLoop || (old.length > 0 && !isProven);",
    by: "const isAlone = isCrashLoop || (old.length < 0 && !isProven);",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide-properties.test.ts"], test: "starts one alone" },
  },
  {
    name: "crash loop at full speed",
    breaks: "After failed starts one worker is tried at a time",
    file: DECIDE,
    replace: "const isAlone = isCrashLoop || (old.length > 0 && !isProven);",
    by: "const isAlone = (isCrashLoop && old.length < 0) || (old.length > 0 && !isProven);",
    caughtBy: { suite: "fleet", files: ["test/fleet/decide.test.ts"] },
  },
  {
    name: "starts without a pause",
    breaks: "Each failed start doubles the wait",
    file: "src/fleet/backoff.ts",
    replace: "FIRST_WAIT * 2 ** (failures - 1)",
    by: "FIRST_WAIT * failures",
    caughtBy: { suite: "fleet", files: ["test/fleet/backoff.test.ts"] },
  },
  {
    name: "roll-back is undone",
    breaks: "A roll-back holds until the template changes",
    file: "src/engine/records/releases.ts",
    replace: "      ...fingerprintIn(engine, newest),",
    by: "      ...fingerprintIn(engine, found),",
    caughtBy: { suite: "races", files: ["test/races/releases.test.ts"], test: "R30" },
  },
  {
    name: "stopped release serves",
    breaks: "A release whose workers cannot start does not serve",
    file: "src/domain/release.ts",
    replace: "if (newest?.stopped === undefined) return newest;",
    by: "if (newest?.stopped === undefined || newest.number > 0) return newest;",
    caughtBy: { suite: "e2e", files: ["test/e2e/releases.test.ts"], test: "stop" },
  },
  {
    name: "two releases at once",
    breaks: "Two updates at once make one release after the other",
    file: "src/store/sqlite/steps/sqlite-put.ts",
    replace: 'if (version !== current + 1) return { outcome: "versionConflict" };',
    by: 'if (version < current) return { outcome: "versionConflict" };',
    caughtBy: { suite: "store", files: ["test/contract/sqlite.test.ts"] },
  },
];
