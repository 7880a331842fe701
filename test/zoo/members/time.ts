import type { Member } from "../member.ts";

/** Time never goes back. */
export const MEMBERS: readonly Member[] = [
  {
    name: "time goes back at a restart",
    breaks: "Time after a restart is never before what was stored",
    file: "src/host/time-at-start.ts",
    replace: "now < notBefore - UNKNOWN ? undefined : Math.max(now, notBefore)",
    by: "now < notBefore - UNKNOWN ? undefined : now",
    caughtBy: { suite: "unit", files: ["test/time-at-start.test.ts"] },
  },
  {
    name: "wall clock at a restart",
    breaks: "A wall clock that was set moves no deadline",
    file: "src/host/time-at-start.ts",
    replace: "const now = goneOn ?? Math.max(wall, notBefore);",
    by: "const now = Math.max(wall, notBefore, goneOn ?? 0);",
    caughtBy: { suite: "unit", files: ["test/time-at-start.test.ts"] },
  },
  {
    name: "steered clock goes back",
    breaks: "A clock that is steered back stands still",
    file: "src/host/system-clock.ts",
    replace: "latest = Math.max(latest, own.now() + ahead);",
    by: "latest = own.now() + ahead;",
    caughtBy: { suite: "unit", files: ["test/system-clock.test.ts"] },
  },
  {
    name: "wall clock moves deadlines",
    breaks: "Deadlines follow the monotonic clock",
    file: "src/host/system-clock.ts",
    replace: "now: () => startsAt + Math.floor(performance.now() - origin),",
    by: "now: () => (origin < 0 ? startsAt : Date.now()),",
    caughtBy: { suite: "unit", files: ["test/system-clock.test.ts"] },
  },
  {
    name: "early timer",
    breaks: "No timer fires before its time",
    file: "src/host/system-clock.ts",
    replace: "if (left > 0) timer",
    by: "if (left > 50) timer",
    caughtBy: { suite: "unit", files: ["test/system-clock.test.ts"] },
  },
];
