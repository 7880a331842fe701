import { stat } from "node:fs/promises";

/**
 * A process that a server started, as the name of a file in its worker's directory records it. A process id
 * alone may belong to another process by now, and a copied directory records processes of another server. So
 * a server may kill the process only if the directory, the boot and the start time match the mark (design,
 * section 7, row 11).
 */
export interface ProcessMark {
  /** As `placeOf` names it. */
  readonly place: string;
  readonly pid: number;
  /** When the kernel started it, in ticks since the boot; undefined if the system does not tell. */
  readonly startedAt: number | undefined;
}

const PREFIX = "pid.";

/**
 * Names the directory of the workers on this boot of the machine. A copy of the directory has another name,
 * and so has the same directory after a reboot. A moved directory keeps its name. Without a boot id there is
 * no name.
 */
export async function placeOf(directory: string, boot: string | undefined): Promise<string> {
  if (boot === undefined) return NOWHERE;
  const { ino, dev, birthtimeNs } = await stat(directory, { bigint: true });
  return `${ino}-${dev}-${birthtimeNs}-${boot}`;
}

/** The place of a process that nobody may kill. */
export const NOWHERE = "nowhere";

/** The beginning of the mark's name. The process appends `.<id>.<start time>`. */
export function markPrefix(place: string): string {
  return `${PREFIX}${place}`;
}

/** The mark that a file name records; undefined for another file. */
export function parseMark(name: string): ProcessMark | undefined {
  // Version 0.1 wrote only the id.
  const [, before] = /^pid-([0-9]+)$/.exec(name) ?? [];
  if (before !== undefined) return { place: NOWHERE, pid: Number(before), startedAt: undefined };
  const [, place, pid, startedAt] = /^pid\.([^.]+)\.([0-9]+)\.([0-9]*)$/.exec(name) ?? [];
  if (place === undefined) return undefined;
  return { place, pid: Number(pid), startedAt: startedAt === "" ? undefined : Number(startedAt) };
}
