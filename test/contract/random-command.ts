import * as fc from "fast-check";
import { forget } from "../model/forget.ts";
import type { Job } from "../../src/domain/job.ts";
import type { EndEvent } from "../../src/domain/transitions.ts";
import type { Step } from "../../src/store/steps.ts";
import { bytes } from "../model/bytes.ts";
import type { Steps } from "../model/steps.ts";

const KINDS = [
  "enqueue",
  "take",
  "complete",
  "fail",
  "giveUp",
  "cutOff",
  "timeOut",
  "append",
  "progress",
  "seen",
  "giveBack",
  "cancel",
  "retry",
  "noteColdStart",
  "setTtl",
  "drain",
  "purge",
  "forget",
] as const;

/** A step before it is known which attempts there are: few jobs and workers, so that they meet. */
export interface RandomCommand {
  readonly kind: (typeof KINDS)[number];
  readonly job: number;
  readonly speaker: "holder" | "worker-0" | "worker-1";
  readonly attempt: "newest" | "stale" | "none";
  readonly number: number;
  readonly isSo: boolean;
  /** Time that passes before it. */
  readonly wait: number;
}

export const JOB_IDS = Array.from({ length: 4 }, (_, index) => `job-${index}`);

/** Short enough that every deadline passes now and then. */
const TAGS = ["a", '"b'];
const POLICY = { executionTimeout: 30_000, ttl: 90_000 };
const RETENTION = 60_000;

const EXIT = "exit code 137";

export const randomCommand: fc.Arbitrary<RandomCommand> = fc.record({
  kind: fc.constantFrom(...KINDS, "enqueue", "take", "take"),
  job: fc.nat(JOB_IDS.length - 1),
  speaker: fc.constantFrom("holder", "holder", "worker-0", "worker-1"),
  attempt: fc.constantFrom("newest", "newest", "stale", "none"),
  number: fc.nat(3),
  isSo: fc.boolean(),
  wait: fc.constantFrom(0, 0, 0, 1, 1_000, 11_000, 40_000),
});

/** The step of a command, on the job as it is. `position` must be one that no step had before. */
export function stepOfCommand(
  command: RandomCommand,
  steps: Steps,
  jobOf: (id: string) => Pick<Job, "attempt" | "worker"> | undefined,
  position: number,
  now: number,
): Step {
  const id = JOB_IDS[command.job] ?? "";
  const job = jobOf(id);
  const worker = command.speaker === "holder" ? (job?.worker ?? "worker-0") : command.speaker;
  const newest = job?.attempt ?? 0;
  const attempt = { newest, stale: newest - 1, none: undefined }[command.attempt];
  const { number, isSo } = command;
  const value = bytes(String(position));
  const end = (event: EndEvent, isReport: boolean): Step =>
    steps.finish(event, id, {
      worker: isReport ? worker : undefined,
      attempt,
      ...(event === "complete"
        ? { output: value, mayBeLate: isSo && attempt === undefined }
        : { error: value }),
      ...(event === "fail" && isSo ? { beside: `{"n":${number}}` } : {}),
      ...(event === "giveUp" && isSo
        ? { end: { outcome: "LOST", error: "the worker ended", exit: EXIT } }
        : {}),
    });

  switch (command.kind) {
    case "enqueue":
      return steps.enqueue(id, position, {
        body: value,
        policy: { ...POLICY, lowPriority: isLowPriority(id), ...(isSo ? { tags: TAGS } : {}) },
        retention: RETENTION,
      });
    case "take":
      return steps.take(worker, { count: 1 + number, ...(isSo ? { deliveryLease: undefined } : {}) });
    case "complete":
    case "fail":
    case "cutOff":
      return end(command.kind, true);
    case "giveUp":
    case "timeOut":
      return end(command.kind, false);
    case "append":
      return steps.append(
        id,
        worker,
        Array.from({ length: number }, () => value),
        attempt,
        isSo
          ? { bytes: 12, otherwise: steps.finish("cutOff", id, { worker, attempt, error: value }) }
          : undefined,
      );
    case "progress":
      return steps.progress(id, worker, value, attempt);
    case "seen": {
      const kind = (["nothing", "all", "none"] as const)[number];
      return steps.seen(worker, kind === undefined ? [id] : { kind }, now - 1_000, { pings: isSo });
    }
    case "giveBack":
      return steps.giveBack(id, attempt ?? newest, {
        losses: isSo ? Math.min(number, newest) : 0,
        barUntil: now + 5_000 * number,
        ...(isSo ? { end: { outcome: "LOST", error: "the worker ended", exit: EXIT } } : {}),
      });
    case "cancel":
      return steps.cancel(id);
    case "retry":
      return steps.retry(id, position, now + 5_000 * number, isSo ? worker : undefined, {
        attempt: newest - (number % 2),
        text: `error ${number}`,
      });
    case "noteColdStart":
      return steps.noteColdStart(id, Math.max(1, attempt ?? newest + 1), now);
    case "setTtl":
      return steps.setTtl(id, now + 1 + 7_000 * number);
    case "drain":
      return steps.drain(id, {
        chunkLimit: 1 + number,
        byteLimit: 5 * number,
        from: isSo ? number : undefined,
      });
    case "purge":
      return steps.purge(position - 10 * number, 1 + number);
    case "forget":
      return forget();
  }
}

/** A row does not tell its priority: the id does. */
export function isLowPriority(id: string): boolean {
  return id === JOB_IDS[1];
}
