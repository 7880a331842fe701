import { stat } from "node:fs/promises";

/**
 * A process that a server has started, as the name of a file in the directory of its worker tells it. A
 * process id alone can be someone else's by now, and a copied directory tells of processes of another server.
 * So only a server whose directory and boot are those of the mark may kill the process, and only if it was
 * started when the mark says (design, section 7, row 11).
 */
export interface ProcessMark {
  /** As `placeOf` names it. */
  readonly place: string;
  readonly pid: number;
  /** When the kernel started it, in ticks since the boot; undefined where the system does not tell. */
  readonly startedAt: number | undefined;
}

const PREFIX = "pid.";

/**
 * Names the directory of the workers on this boot of the machine: another one for a copy of the directory,
 * and after a reboot. A directory that is moved keeps its name. Without the id of the boot there is none.
 */
export async function placeOf(directory: string, boot: string | undefined): Promise<string> {
  if (boot === undefined) return NOWHERE;
  const { ino, dev, birthtimeNs } = await stat(directory, { bigint: true });
  return `${ino}-${dev}-${birthtimeNs}-${boot}`;
}

/** The place of a process that nobody may kill. */
export const NOWHERE = "nowhere";

/** What the name of a mark begins with; its process appends `.<id>.<start time>`. */
export function markPrefix(place: string): string {
  return `${PREFIX}${place}`;
}

/** The mark that a file name tells; undefined for another file. */
export function parseMark(name: string): ProcessMark | undefined {
  // Version 0.1 wrote the id alone.
  const [, before] = /^pid-([0-9]+)$/.exec(name) ?? [];
  if (before !== undefined) return { place: NOWHERE, pid: Number(before), startedAt: undefined };
  const [, place, pid, startedAt] = /^pid\.([^.]+)\.([0-9]+)\.([0-9]*)$/.exec(name) ?? [];
  if (place === undefined) return undefined;
  return { place, pid: Number(pid), startedAt: startedAt === "" ? undefined : Number(startedAt) };
}
