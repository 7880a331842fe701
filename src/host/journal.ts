import { fstatSync } from "node:fs";

/** The priorities of syslog that the journal of systemd understands (sd-daemon(3)). */
const PRIORITIES = { info: 6, warn: 4, error: 3 } as const;

export type JournalLevel = keyof typeof PRIORITIES;

const STANDARD_ERROR = 2;

/**
 * Whether the standard error goes to the journal of systemd. The variable names the device and inode of that
 * stream; a program whose output was redirected since still has the variable.
 */
export function isJournal(env: NodeJS.ProcessEnv = process.env): boolean {
  const named = env["JOURNAL_STREAM"] ?? "";
  if (named === "") return false;
  const { dev, ino } = fstatSync(STANDARD_ERROR, { bigint: true });
  return named === `${dev}:${ino}`;
}

/** What stands before a line in the journal, which takes it away and keeps the priority. */
export function journalPrefix(level: JournalLevel): string {
  return `<${PRIORITIES[level]}>`;
}
