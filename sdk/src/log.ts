import process from "node:process";
import type { JobLog, LogLevel } from "./handler.ts";

const LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

/** What the worker says itself, and what its handlers say of their jobs. */
export interface WorkerLog extends JobLog {
  /** What the handler of the job says. */
  ofJob(id: string): JobLog;
  /** What the worker says of the job. */
  aboutJob(id: string): JobLog;
}

/**
 * The log on the error output: the standard output is the handler's. Whoever sits at a terminal gets
 * sentences, anything else one JSON object a line. Nothing but what handlers say where FOREBAY_WORKER_QUIET
 * says so, because whoever started the worker tells the same from the jobs.
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

/** `asked` goes before FOREBAY_LOG_LEVEL. Throws a sentence for what is no level. */
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
  // Twice, so that they come first and no field takes the place of one.
  process.stderr.write(`${jsonOf({ ...own, ...fields, ...own }, own)}\n`);
}

function writeSentence({ level, message, requestId, fields }: Line): void {
  const rank = level === "info" ? "" : `${level}: `;
  const job = requestId === undefined ? "" : `job ${requestId}: `;
  const more = Object.keys(fields).length === 0 ? "" : ` ${jsonOf(fields, {})}`;
  process.stderr.write(`forebay worker: ${rank}${job}${message}${more}\n`);
}

/** A handler must not fail because of what it logs: `instead` is said where JSON cannot carry the value. */
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
  // The members of an exception are not enumerable: its JSON would say nothing.
  return member instanceof Error ? (member.stack ?? String(member)) : member;
}
