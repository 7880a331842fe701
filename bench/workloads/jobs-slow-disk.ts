import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { absent, type Contestant } from "../contestant.ts";
import { forebayLibrary, forebayPublic } from "../contestants/forebay.ts";
import { bullmq } from "../contestants/peers.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { ratioGoal, type Workload } from "../workload.ts";
import { WHOLE_JOBS, wholeJobs } from "./whole-jobs.ts";

const PUBLIC = "Forebay, public protocol, slow disk";
const LIBRARY = "Forebay, own library on Bun, exchange, slow disk";
const BULLMQ = "BullMQ, fsync always, slow disk";

/** W1 on a disk that syncs in 5 ms. */
export const JOBS_ON_SLOW_DISK: Workload = {
  id: "jobs-slow-disk",
  title: "W1 with each sync delayed by 5 ms",
  about:
    "As W1, on a disk like those of clouds: each fsync and fdatasync of the Forebay server and of Redis " +
    "returns 5 ms later (bench/load/slow-sync.c).",
  rounds: 3,
  minutes: 4,
  columns: WHOLE_JOBS,
  chart: "rate",
  goals: [
    ratioGoal({
      what: "W1 with syncs delayed by 5 ms, public protocol, × jobs/s of BullMQ + Fastify",
      row: PUBLIC,
      key: "rate",
      against: (row) => row.startsWith(BULLMQ),
      aim: { least: 2 },
    }),
  ],
  async cases(scale) {
    const library = buildSlowSync();
    if ("reason" in library) {
      const names = [PUBLIC, LIBRARY, BULLMQ];
      return names.map((name) => wholeJobs(absent(name, library.reason), scale, false));
    }
    const env = { LD_PRELOAD: library.path };
    const contestants: Contestant[] = [
      forebayPublic(scale.build, PUBLIC, env),
      forebayLibrary(scale.build, LIBRARY, "Bun", "exchange", env),
      ...bullmq(BULLMQ, "always", env),
    ];
    return contestants.map((contestant) => wholeJobs(contestant, scale, false));
  },
};

function buildSlowSync(): { path: string } | { reason: string } {
  if (Bun.which("cc") === null) return { reason: "no C compiler (cc) is installed" };
  const path = join(temporaryDirectory("slow-sync-"), "slow-sync.so");
  const source = join(import.meta.dir, "../load/slow-sync.c");
  const command = ["-shared", "-fPIC", "-O2", "-o", path, source, "-ldl"];
  const { status, stderr } = spawnSync("cc", command, { encoding: "utf8" });
  return status === 0 ? { path } : { reason: `cc failed: ${stderr.trim()}` };
}
