import { edenGC } from "bun:jsc";
import { freeBytes } from "../engine/secret-box.ts";
import { nextTurn } from "../engine/next-turn.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Call } from "./call.ts";
import { goingReply, LONGEST_SILENCE } from "./going-reply.ts";
import { jsonReply, JSON_TYPE, type Part, type Reply } from "./reply.ts";

/** Creates one record of a list as JSON, the same in each call; its bytes belong to the caller. */
export type ListRecord = () => readonly Part[];

/** How much of a list is sent at once, and waits in memory for each reader, bytes. */
const PIECE = 131_072;

/**
 * 200 with a JSON array, or with an object whose only member `name` is that array. It is written record after
 * record at the pace of its reader: however long the array and however slow the reader, memory holds one
 * piece of it, and one large record while `room` has space for it. A short array leaves as a whole.
 */
export async function listReply(
  call: Call,
  room: ByteBudget,
  records: AsyncIterable<ListRecord>,
  name?: string,
): Promise<Reply> {
  const held = heldRecord(room);
  const pieces = piecesOf(records, held, name);
  const first = await pieces.next();
  if (first.done === true) return jsonReply(["[]"]);
  if (first.value.isLast) return jsonReply([first.value.part]);
  const reply = goingReply(
    call,
    JSON_TYPE,
    async function* () {
      yield first.value.part;
      for await (const { part } of pieces) {
        yield part;
        // The runtime has written it, or copied what it could not write.
        if (typeof part !== "string") freeBytes(part);
      }
    },
    LONGEST_SILENCE,
  );
  // The runtime does not end the body if the reader disconnects.
  void call.answered?.then(() => held.letGo());
  return reply;
}

interface Piece {
  readonly part: Part;
  readonly isLast: boolean;
}

async function* piecesOf(
  records: AsyncIterable<ListRecord>,
  held: HeldRecord,
  name: string | undefined,
): AsyncGenerator<Piece, void> {
  let gathered = name === undefined ? "[" : `{"${name}":[`;
  let isFirst = true;
  for await (const record of records) {
    if (!isFirst) gathered += ",";
    isFirst = false;
    const bytes = joined(record());
    if (bytes.length < PIECE) {
      gathered += bytes.toString();
      freeBytes(bytes);
    } else {
      yield { part: gathered, isLast: false };
      gathered = "";
      yield* piecesOfLarge(record, bytes, held);
    }
    if (gathered.length < PIECE) continue;
    yield { part: gathered, isLast: false };
    gathered = "";
    await nextTurn();
  }
  yield { part: `${gathered}]${name === undefined ? "" : "}"}`, isLast: true };
}

/** A record for which there is no room is created again for each of its pieces: slow, but never stuck. */
async function* piecesOfLarge(
  record: ListRecord,
  whole: Uint8Array,
  held: HeldRecord,
): AsyncGenerator<Piece, void> {
  const { length } = whole;
  held.hold(whole);
  try {
    for (let at = 0; at < length; at += PIECE) {
      const bytes = held.bytes() ?? joined(record());
      // A part of the whole would keep all of it in memory.
      const part = Buffer.allocUnsafeSlow(Math.min(PIECE, length - at));
      part.set(bytes.subarray(at, at + part.length));
      if (held.bytes() === undefined) freeBytes(bytes);
      yield { part, isLast: false };
      await nextTurn();
    }
  } finally {
    held.letGo();
  }
}

/** The parts as one. Frees those that are bytes. */
function joined(parts: readonly Part[]): Buffer {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
  const whole = Buffer.allocUnsafeSlow(bytes.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of bytes) {
    whole.set(part, at);
    at += part.length;
    freeBytes(part);
  }
  addGarbage(parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : 0), 0));
  return whole;
}

/** The record of which a reader has got a part. */
interface HeldRecord {
  /** Keeps it, or frees its memory if there is no room. */
  hold(bytes: Uint8Array): void;
  bytes(): Uint8Array | undefined;
  letGo(): void;
}

function heldRecord(room: ByteBudget): HeldRecord {
  let held: Uint8Array | undefined;
  return {
    hold(bytes) {
      if (room.tryEnter(bytes.length)) held = bytes;
      else freeBytes(bytes);
    },
    bytes: () => held,
    letGo() {
      if (held === undefined) return;
      room.leave(held.length);
      freeBytes(held);
      held = undefined;
    },
  };
}

/** How many bytes of text can be garbage before we collect it, which takes about a millisecond. */
const GARBAGE_LIMIT = 8 * 1_048_576;

let garbage = 0;

/**
 * Counts `bytes` of text that nobody uses any more. By itself the runtime collects when it has as much
 * garbage as live data, and a server can have hundreds of megabytes of settings.
 */
function addGarbage(bytes: number): void {
  garbage += bytes;
  if (garbage < GARBAGE_LIMIT) return;
  garbage = 0;
  edenGC();
}
