/** What may stand in an id or in a name inside a path. */
const ID_PATTERN = /^[A-Za-z0-9_-]{1,128}$/;

export function isId(text: string): boolean {
  return ID_PATTERN.test(text);
}

/**
 * Positions order jobs by time: the millisecond in the upper bits, a count within it in the lower ten, so
 * that they stay exact as numbers until the year 2248.
 */
const POSITIONS_PER_MS = 1024;

/** The first position of the millisecond `now`. */
export function positionAt(now: number): number {
  return now * POSITIONS_PER_MS;
}

/** What the ids of runsync jobs begin with, and no others: those begin with a hexadecimal digit. */
export const SYNC_PREFIX = "sync-";

/**
 * The id of a job: a UUIDv7 (RFC 9562, 5.7) in the dress that clients of this API know. `position` gives its
 * time and count, `random` eight random bytes.
 */
export function jobId(kind: "run" | "runsync", position: number, random: Uint8Array): string {
  return `${kind === "runsync" ? SYNC_PREFIX : ""}${uuidv7(position, random)}-u1`;
}

/** How a job was submitted, by its id. */
export function kindOf(id: string): "run" | "runsync" {
  return id.startsWith(SYNC_PREFIX) ? "runsync" : "run";
}

function uuidv7(position: number, random: Uint8Array): string {
  const ms = Math.floor(position / POSITIONS_PER_MS);
  const time = ms.toString(16).padStart(12, "0");
  const count = (position % POSITIONS_PER_MS).toString(16).padStart(3, "0");
  const variant = hex((byteAt(random, 0) & 0x3f) | 0x80) + hex(byteAt(random, 1));
  let node = "";
  for (let i = 2; i < 8; i++) node += hex(byteAt(random, i));
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${variant}-${node}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(byte: number): string {
  return HEX[byte] ?? "";
}

function byteAt(bytes: Uint8Array, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw new RangeError(`an id needs 8 random bytes, got ${bytes.length}`);
  return byte;
}
