import process from "node:process";
import type { JobLog, LogLevel } from "./handler.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** The log of the worker, and of its handlers' jobs. */
export interface WorkerLog extends JobLog {
  /** Logs for the handler of the job. */
  ofJob(id: string): JobLog;
  /** Logs for the worker, about the job. */
  aboutJob(id: string): JobLog;
}

/**
 * Logs to the standard error, because the standard output belongs to the handler. A terminal gets sentences,
 * anything else one JSON object per line. With FOREBAY_WORKER_QUIET, only handlers log: whoever started the
 * worker reports its jobs.
 */
export function openLog(least: LogLevel): WorkerLog {
  const write = process.stderr.isTTY ? writeSentence : writeJson;
  const shown = new Set(LEVELS.slice(LEVELS.indexOf(least)));
  const logOf = (requestId: string | undefined): JobLog => {
    const at = (level: LogLevel) =>
      shown.has(level)
        ? (message: string, fields: Fields = {}) => write({ level, message, requestId, fields })
        : () => undefined;
    return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  };
  const isQuiet = process.env["FOREBAY_WORKER_QUIET"] === "true";
  const aboutJob = (id: string | undefined): JobLog => (isQuiet ? SILENT : logOf(id));
  return { ...aboutJob(undefined), aboutJob, ofJob: logOf };
}

const say = (): void => undefined;
const SILENT: JobLog = { debug: say, info: say, warn: say, error: say };

/** `asked` overrides FOREBAY_LOG_LEVEL. Throws a sentence for an unknown level. */
export function readLogLevel(variable: string | undefined, asked: string | undefined): LogLevel {
  const given = asked ?? (variable || "info");
  const level = LEVELS.find((known) => known === given);
  if (level !== undefined) return level;
  const name = asked === undefined ? "FOREBAY_LOG_LEVEL" : "log_level";
  throw new Error(`${name} must be debug, info, warn or error, got ${given}.`);
}

type Fields = Readonly<Record<string, unknown>>;

interface Line {
  readonly level: LogLevel;
  readonly message: string;
  readonly requestId: string | undefined;
  readonly fields: Fields;
}

function writeJson({ fields, ...line }: Line): void {
  const own = { time: new Date().toISOString(), ...line };
  // Twice, so that these fields come first and no other field overrides them.
  process.stderr.write(`${jsonOf({ ...own, ...fields, ...own }, own)}\n`);
}

function writeSentence({ level, message, requestId, fields }: Line): void {
  const rank = level === "info" ? "" : `${level}: `;
  const job = requestId === undefined ? "" : `job ${requestId}: `;
  const more = Object.keys(fields).length === 0 ? "" : ` ${jsonOf(fields, {})}`;
  process.stderr.write(`forebay worker: ${rank}${job}${message}${more}\n`);
}

/** A handler must not fail because of its log: `instead` is logged if JSON cannot represent the value. */
function jsonOf(value: object, instead: object): string {
  try {
    return JSON.stringify(value, (_key, member: unknown) => plainOf(member));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return JSON.stringify({ ...instead, fieldsFault: reason });
  }
}

function plainOf(member: unknown): unknown {
  if (typeof member === "bigint") return String(member);
  // The members of an exception are not enumerable, so its JSON would be empty.
  return member instanceof Error ? (member.stack ?? String(member)) : member;
}
