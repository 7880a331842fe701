import * as serverless from "@forebay/worker";

// Does what its input says, and logs it.
interface Input {
  readonly fail?: boolean;
  readonly yields?: readonly unknown[];
  /** Runs until it is stopped. */
  readonly waits?: boolean;
  readonly refresh?: boolean;
}

async function handle(
  { id, input }: serverless.Job<Input>,
  { log, progress, signal }: serverless.JobContext,
) {
  log.debug("begun", { input });
  if (input.fail) throw new RangeError("wrong – 二");
  if (input.yields) return input.yields.values();
  if (input.waits) {
    progress("waiting");
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    log.warn("stopped", { reason: signal.reason.message, requestId: "not this", n: 1n });
  }
  return { id, input, refresh_worker: input.refresh ?? false };
}

const cyclic: unknown[] = [];
cyclic.push(cyclic);

await serverless.start({
  handler: (job, context) => {
    context.log.info("cyclic", { cyclic });
    return handle(job, context);
  },
  concurrency: Number(process.env["CONCURRENCY"] ?? 1),
  fitness_checks: [
    function isWarm() {},
    async () => {
      await Promise.resolve();
      if (process.env["UNFIT"] === "1") throw new Error("no GPU here");
    },
  ],
});
process.stdout.write("ended\n");
