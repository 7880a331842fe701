import type { Member } from "../member.ts";

const caughtBy = {
  suite: "simulation",
  files: ["test/simulation/simulation.test.ts"],
  test: "no step of any world breaks a promise",
  // Longer than the zoo waits for a run: that the time is over says nothing here.
  limit: 200_000,
} as const;

/** In no simulated world of CI these are noticed in time. */
const byContract = { suite: "store", files: ["test/contract/memory.test.ts"] } as const;

/** The simulation runs each until it breaks a promise. */
export const MEMBERS: readonly Member[] = [
  {
    name: "memory: answer before the commit",
    breaks: "An acknowledged job is stored",
    file: "src/engine/submit.ts",
    replace: "    const [stored, taken] = await answers;\n    settle(stored.accepted, taken?.[0]);\n",
    by:
      "    const stored = { accepted: true };\n" +
      "    answers.then(([first, jobs]) => settle(first.accepted, jobs?.[0]))" +
      ".catch(() => settle(true, undefined));\n",
    caughtBy,
  },
  {
    name: "leases of workers never expire",
    breaks: "The job of a worker that is gone goes to another worker",
    file: "src/engine/sweep.ts",
    replace: "  await inSlices(jobs, ({ job, hasHungUp })",
    by: "  await inSlices(jobs.slice(0, 0), ({ job, hasHungUp })",
    caughtBy,
  },
  {
    name: "end without its webhook",
    breaks: "The webhook of an end is stored with that end",
    file: "src/store/job-steps/end-job.ts",
    replace: "  transaction.deliver(ended);\n  return jobOf(ended);",
    by: "  return jobOf(ended);",
    caughtBy,
  },
  {
    name: "a failed webhook counts as delivered",
    breaks: "A webhook is retried until its receiver acknowledges it",
    file: "src/engine/webhooks/after-attempt.ts",
    replace: "status !== undefined && status >= 200 && status < 300",
    by: "status === undefined || status < 300",
    caughtBy,
  },
  {
    name: "a retry keeps the old chunks",
    breaks: "A reader sees the chunks of one attempt only",
    file: "src/store/job-steps/requeue.ts",
    replace: "  transaction.clearChunks(row);\n",
    by: "",
    caughtBy,
  },
  {
    name: "Idempotency-Key ignored",
    breaks: "Two submissions with one Idempotency-Key make one job",
    file: "src/store/job-steps/enqueue.ts",
    replace: "known.until > now",
    by: "known.until < now",
    caughtBy,
  },
  {
    name: "Idempotency-Key forgotten after a crash",
    breaks: "A submission that is sent again after a crash makes no second job",
    file: "src/engine/submit.ts",
    replace: "  const idempotency = key && { ...key, until: now + IDEMPOTENCY_LIFETIME };",
    by: "  const idempotency = key && { ...key, until: now + 500 };",
    caughtBy,
  },
  {
    name: "return of an earlier attempt",
    breaks: "A late timer returns no newer attempt, and nothing that has ended",
    file: "src/store/job-steps/requeue.ts",
    replace: ' || !permits("giveBack", row.state) || row.attempt !== step.attempt',
    by: "",
    caughtBy: byContract,
  },
  {
    name: "cancel after the end",
    breaks: "What has ended stays what it is",
    file: "src/store/job-steps/end-job.ts",
    replace: '  if (!permits("cancel", row.state)) return jobOf(row);\n',
    by: "",
    caughtBy,
  },
  {
    name: "chunk after the end",
    breaks: "No chunk is added to a job that has ended",
    file: "src/store/job-steps/worker-reports.ts",
    replace: 'row?.state !== "IN_PROGRESS" || row.holder !== worker',
    by: 'row === undefined || row.state === "IN_QUEUE" || row.worker !== worker',
    caughtBy,
  },
  {
    name: "memory: purge removes what was handed out",
    breaks: "A purge removes only jobs that wait",
    file: "src/store/memory/steps/removals.ts",
    replace: '  const jobs = firstOf(database.jobsByHolder.ascending(keyOf(endpoint, "")), limit, isPurged);',
    by:
      "  const jobs = firstOf(database.jobsById.ascending(endpoint), limit, (job) =>\n" +
      '    job.position <= position && (isPurged(job) || job.state === "IN_PROGRESS"));',
    caughtBy,
  },
  {
    name: "memory: a leader that is gone stays leader",
    breaks: "Another server runs the background jobs when the leader is gone",
    file: "src/store/memory/shared.ts",
    replace: "held.server !== server && held.until > now",
    by: "held.server !== server && held.until > 0",
    caughtBy: byContract,
  },
  {
    name: "claimed webhooks of a killed server",
    breaks: "Another server delivers the webhooks that a killed server had begun",
    file: "src/engine/webhooks/claim-deliveries.ts",
    replace: "  const until = now + durations.webhookTimeout + MARGIN;",
    by: "  const until = now + durations.webhookRetention + MARGIN;",
    caughtBy,
  },
  {
    name: "retry by a server whose clock is behind",
    breaks: "A retried job goes behind its last run, whichever server retries it",
    file: "src/store/job-steps/requeue.ts",
    replace: "Math.max(step.position, row.position + 1)",
    by: "step.position",
    caughtBy,
  },
  {
    name: "a cancelled job has no holder",
    breaks: "The worker that runs a cancelled job is told to stop",
    file: "src/store/job-steps/end-job.ts",
    replace: "      holder: holder ?? null,",
    by: "      holder: null,",
    caughtBy,
  },
  {
    name: "a result of an earlier run counts",
    breaks: "After a retry no result of an earlier run ends the job",
    file: "src/domain/late-result.ts",
    replace: "ended.position === position",
    by: "ended.position <= position",
    caughtBy,
  },
  {
    name: "waiting jobs are offered once",
    breaks: "A job is found if the notification about it is lost",
    file: "src/background/server-jobs.ts",
    replace: "run: () => offerWaiting(engine) }",
    by: "run: async () => void offerWaiting }",
    caughtBy,
  },
  {
    name: "calls for jobs with endless places",
    breaks: "A worker never gets more jobs than it asks for",
    file: "src/engine/parked-takes.ts",
    replace: "    place.slots--;\n",
    by: "",
    caughtBy,
  },
  {
    name: "chunks of one call in the wrong order",
    breaks: "The chunks of an attempt are read in the order in which they were sent",
    file: "src/engine/append.ts",
    replace: "earlier.push(...yielded.chunks)",
    by: "earlier.unshift(...yielded.chunks)",
    caughtBy,
  },
  {
    name: "only the first chunk of a call is kept",
    breaks: "A stored chunk is read",
    file: "src/engine/append.ts",
    replace: "earlier.push(...yielded.chunks)",
    by: "void yielded.chunks",
    caughtBy,
  },
];
