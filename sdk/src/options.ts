import type { ProtocolName } from "./environment.ts";
import type { Gate } from "./gate.ts";
import type { Handler, LogLevel } from "./handler.ts";
import type { ConcurrencyModifier } from "./slots.ts";
import type { StandardSchema } from "./checked-handler.ts";

export interface StartOptions<Input = Record<string, unknown>, Output = unknown> {
  readonly handler: Handler<Input, NoInfer<Output>>;
  /** What the input of a job must be; the handler gets what the schema makes of it. */
  readonly input?: StandardSchema<unknown, Input>;
  /** What the handler must return, or yield; the schema makes of it what is sent. */
  readonly output?: StandardSchema<Output, unknown>;
  /** Makes the output of a job whose handler yields the list of its yields; else it is an empty list. */
  readonly return_aggregate_stream?: boolean;
  /** How many jobs run at the same time; 1 unless said otherwise. */
  readonly concurrency?: number;
  /** Asked before jobs are taken, and answers how many may run at the same time from then on. */
  readonly concurrency_modifier?: ConcurrencyModifier;
  /** Ends the worker after a job, to be replaced by a fresh one. */
  readonly refresh_worker?: boolean;
  /** All must pass before the worker takes its first job. */
  readonly fitness_checks?: readonly FitnessCheck[];
  /** The least that is logged; without it FOREBAY_LOG_LEVEL decides, else it is `info`. */
  readonly log_level?: LogLevel;
  /**
   * `exchange` is Forebay's own protocol, `public` the one of the public worker SDKs. Without it
   * FOREBAY_PROTOCOL decides, else what the environment has an address for.
   */
  readonly protocol?: ProtocolName;
  /** While it is closed the worker takes no jobs, and those that it has run on. */
  readonly gate?: Gate;
}

/** Throws a sentence for what no worker can be started with, whatever the environment. */
export function checkOptions<Input, Output>(options: StartOptions<Input, Output>): void {
  const { concurrency = 1, concurrency_modifier: modifier, fitness_checks: checks = [] } = options;
  if (typeof options.handler !== "function") {
    throw new TypeError("handler must be a function (job, context).");
  }
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    throw new RangeError(`concurrency must be a whole number above 0, got ${concurrency}.`);
  }
  if (modifier !== undefined && typeof modifier !== "function") {
    throw new TypeError("concurrency_modifier must be a function (current) that answers a number.");
  }
  if (!Array.isArray(checks) || checks.some((check) => typeof check !== "function")) {
    throw new TypeError("fitness_checks must be a list of functions.");
  }
  for (const name of ["input", "output"] as const) {
    const schema: unknown = options[name];
    if (schema !== undefined && !isSchema(schema)) {
      throw new TypeError(`${name} must be a schema that implements Standard Schema (standardschema.dev).`);
    }
  }
}

/** Some libraries have schemas that are functions. */
function isSchema(value: unknown): boolean {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** Throws, or rejects, when this worker is not fit to take jobs. */
type FitnessCheck = () => unknown;

/** Runs the checks one after another. Rejects with a sentence that names the first one that does not pass. */
export async function passFitnessChecks(checks: readonly FitnessCheck[]): Promise<void> {
  for (const [index, check] of checks.entries()) {
    try {
      await check();
    } catch (error) {
      const name = check.name === "" ? `number ${index + 1}` : check.name;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`The worker takes no jobs: its fitness check ${name} failed: ${reason}`, {
        cause: error,
      });
    }
  }
}
