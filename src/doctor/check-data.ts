import { constants, existsSync } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { diskState } from "../domain/disk-space.ts";
import { copyRefusal } from "../data/data-directory.ts";
import { restoreRefusal } from "../store/offline-store.ts";
import { syncDirectory } from "../host/durable-files.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "data";
const MB = 1_048_576;

/** File systems by number (statfs(2)), and the risk of a database on them. */
const UNSAFE: ReadonlyMap<number, string> = new Map([
  [0x01_02_19_94, "tmpfs: all data is lost when the machine restarts"],
  [0x69_69, "NFS: its locks and fsync are unreliable"],
  [0x51_7b, "SMB: its locks and fsync are unreliable"],
  [0xff_53_4d_42, "CIFS: its locks and fsync are unreliable"],
  [0xfe_53_4d_42, "SMB 2: its locks and fsync are unreliable"],
]);

/** Checks the data directory: whether it is writable, who else can read it, and its disk. */
export async function checkData({ data, adoptData }: Config): Promise<Finding[]> {
  if (data === IN_MEMORY) return [];
  const path = resolve(data);
  if (!existsSync(path)) return checkPlace(path);
  const { mode } = await stat(path);
  const found: Finding[] = [];
  if (!(await stat(path)).isDirectory()) {
    return [fault(PART, `${path} is not a directory`, "Name a directory with --data.")];
  }
  const unwritable = await unwritableSentence(path);
  if (unwritable !== undefined) return [unwritable];
  if ((mode & 0o077) !== 0) {
    found.push(warn(PART, `other users of this machine can read ${path}`, `chmod 700 ${path}`));
  }
  return [
    ...found,
    ...(await checkDisk(path)),
    ...(await checkSync(path)),
    ...(await checkCopy(path, adoptData)),
  ];
}

async function checkCopy(path: string, adopts: boolean): Promise<Finding[]> {
  try {
    const unfinished = restoreRefusal(path);
    if (unfinished !== undefined)
      return [fault(PART, unfinished, "forebay restore <file> --data <directory>")];
    const refusal = await copyRefusal(path);
    if (refusal === undefined) return [];
    if (adopts) return [ok(PART, `${path} is a copy, and the next start adopts it`)];
    return [fault(PART, refusal, "Name the original with --data, or start the copy once with --adopt-data.")];
  } catch (error) {
    return [fault(PART, sentenceOf(error), "The server cannot start until this is fixed.")];
  }
}

/** The directory in which the first start will create the data directory. */
async function checkPlace(path: string): Promise<Finding[]> {
  let above = dirname(path);
  while (!existsSync(above)) above = dirname(above);
  const unwritable = await unwritableSentence(above);
  if (unwritable !== undefined) return [unwritable];
  return [ok(PART, `${path} does not exist yet: the first start creates it`), ...(await checkDisk(above))];
}

async function unwritableSentence(path: string): Promise<Finding | undefined> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const mend = "Make the user of the server its owner (chown), or name another directory with --data.";
    return fault(PART, `${path} cannot be written: ${sentenceOf(error)}`, mend);
  }
}

async function checkDisk(path: string): Promise<Finding[]> {
  const { bavail, blocks, bsize, type } = await statfs(path);
  const space = { free: bavail * bsize, total: blocks * bsize };
  const said = `${Math.floor(space.free / MB)} of ${Math.floor(space.total / MB)} MB are free for ${path}`;
  const room = "Free space on that disk, or move the data to a larger one.";
  const state = diskState(space);
  const disk =
    state === "full" ? fault(PART, said, room) : state === "low" ? warn(PART, said, room) : ok(PART, said);
  const unsafe = UNSAFE.get(type);
  if (unsafe === undefined) return [disk];
  return [disk, warn(PART, `${path} is on ${unsafe}`, "Put the data on a local disk.")];
}

async function checkSync(path: string): Promise<Finding[]> {
  try {
    await syncDirectory(path);
    return [ok(PART, `${path} can be written and synced`)];
  } catch (error) {
    const said = `the file system of ${path} cannot sync a directory: ${sentenceOf(error)}`;
    return [fault(PART, said, "Put the data on a local disk.")];
  }
}
