import type { ProtocolName } from "./environment.ts";
import type { Gate } from "./gate.ts";
import type { Handler, LogLevel } from "./handler.ts";
import type { ConcurrencyModifier } from "./slots.ts";
import type { StandardSchema } from "./checked-handler.ts";

export interface StartOptions<Input = Record<string, unknown>, Output = unknown> {
  readonly handler: Handler<Input, NoInfer<Output>>;
  /** The schema of a job's input. The handler gets what the schema returns. */
  readonly input?: StandardSchema<unknown, Input>;
  /** The schema of what the handler returns or yields. What the schema returns is sent. */
  readonly output?: StandardSchema<Output, unknown>;
  /** The output of a job with yields is the list of its yields; by default an empty list. */
  readonly return_aggregate_stream?: boolean;
  /** How many jobs run at the same time; by default 1. */
  readonly concurrency?: number;
  /** Called before jobs are taken. Returns how many jobs may run at the same time from then on. */
  readonly concurrency_modifier?: ConcurrencyModifier;
  /** Ends the worker after a job, so that a new one replaces it. */
  readonly refresh_worker?: boolean;
  /** All must pass before the worker takes its first job. */
  readonly fitness_checks?: readonly FitnessCheck[];
  /** The lowest level that is logged; by default FOREBAY_LOG_LEVEL, otherwise `info`. */
  readonly log_level?: LogLevel;
  /**
   * `exchange` is Forebay's own protocol, `public` that of the public worker SDKs. By default
   * FOREBAY_PROTOCOL decides, otherwise the addresses in the environment.
   */
  readonly protocol?: ProtocolName;
  /** While it is closed, the worker takes no jobs. Running jobs continue. */
  readonly gate?: Gate;
}

/** Throws a sentence for options with which no worker can start. */
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

/** Throws or rejects if this worker is not fit to take jobs. */
type FitnessCheck = () => unknown;

/** Runs the checks one after another. Rejects with a sentence that names the first one that fails. */
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
