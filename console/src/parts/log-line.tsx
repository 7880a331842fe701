import type { LogLine } from "../answers.ts";

/** A line of a log. One that is JSON with a message shows its level, its message and its other members. */
export function LogRow({ time, stream, line }: LogLine) {
  const record = line.startsWith("{") ? recordIn(line) : undefined;
  return (
    <div class={stream}>
      <time dateTime={time}>{time.slice(11, 23)}</time>
      {record === undefined ? line : <Record record={record} />}
    </div>
  );
}

interface LogRecord {
  readonly level: string | undefined;
  readonly message: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

function Record({ record: { level, message, fields } }: { record: LogRecord }) {
  return (
    <>
      {level === undefined ? null : <span class={`level ${toneOf(level)}`}>{level.toUpperCase()} </span>}
      <span class="message">{message}</span>
      {fields.map(([name, value]) => (
        <span key={name} class="soft">
          {" "}
          {name}={value}
        </span>
      ))}
    </>
  );
}

const LEVELS = new Set(["level", "levelname", "severity", "lvl"]);
const MESSAGES = new Set(["message", "msg", "event"]);

/** The line as a record of a logging library; undefined if it is none. */
export function recordIn(line: string): LogRecord | undefined {
  const members = membersOf(line);
  const message = members.find(([name, value]) => MESSAGES.has(name) && typeof value === "string");
  if (message === undefined) return undefined;
  const level = members.find(([name, value]) => LEVELS.has(name) && levelText(value) !== undefined);
  return {
    level: level === undefined ? undefined : levelText(level[1]),
    message: String(message[1]),
    fields: members.flatMap((member) => {
      const [name, value] = member;
      const isOther = member !== message && member !== level && value !== null && value !== "";
      return isOther ? [[name, typeof value === "string" ? value : JSON.stringify(value)] as const] : [];
    }),
  };
}

function membersOf(line: string): [string, unknown][] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? Object.entries(value) : [];
  } catch {
    // It only begins like JSON.
    return [];
  }
}

/** The numbers of pino. */
const NUMBERED = new Map([
  [10, "trace"],
  [20, "debug"],
  [30, "info"],
  [40, "warn"],
  [50, "error"],
  [60, "fatal"],
]);

function levelText(value: unknown): string | undefined {
  if (typeof value === "number") return NUMBERED.get(value);
  return typeof value === "string" && /^[A-Za-z]{3,10}$/.test(value) ? value : undefined;
}

function toneOf(level: string): string {
  if (/^(?:err|crit|fatal|panic|alert|emerg)/i.test(level)) return "bad";
  if (/^warn/i.test(level)) return "warn";
  return /^(?:debug|trace|verbose)/i.test(level) ? "soft" : "busy";
}
