import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";
import { freeBytes } from "../engine/secret-box.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Call } from "./call.ts";

/** How a route reads large bodies. */
export interface BodyRules {
  /** Where larger bodies get room. */
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** How long a larger body may take, ms; and 1 s more for each 128 kB. */
  readonly time: number;
}

/** A body that was read. It holds its room until it is disposed of. */
export interface ReadBody extends Disposable {
  readonly bytes: Uint8Array;
}

/** Bodies up to this size need no room. The runtime cuts those that come too slowly. */
export const SMALL_BODY = 65_536;

/** A sender that is slower is cut once the time of its body is over, bytes per ms. */
export const SLOWEST = 131_072 / 1_000;

/**
 * Left free before a larger body: the file that gets it has so many bytes of its own before. The system
 * copies bytes half as fast to a place that is a little further in its page than where they come from.
 */
const HEAD_BYTES = 8;

/** The longest silence that the runtime can allow, s. */
const MOST_SILENCE = 255;

/**
 * Reads a body of known length once there is room for it. Throws BODY_TOO_SLOW, INCOMPLETE_BODY and
 * OVERLOADED.
 */
export function readLarge(call: Call, rules: BodyRules, length: number): Promise<ReadBody> {
  call.allowSilence(MOST_SILENCE);
  return inRoom(rules, length, () =>
    readInto(call, Buffer.allocUnsafeSlow(HEAD_BYTES + length).subarray(HEAD_BYTES)),
  );
}

/**
 * Reads a body of unknown length and at most `limit` bytes. Once it is no longer small it needs room for
 * `limit`. Throws BODY_TOO_LARGE, BODY_TOO_SLOW, INCOMPLETE_BODY and OVERLOADED.
 */
export async function readCounted(
  rules: BodyRules,
  limit: number,
  call: Call,
  pieces = piecesOf(call),
): Promise<ReadBody> {
  const first = await collect(pieces, [], limit, SMALL_BODY);
  if (first.isWhole) return { bytes: Buffer.concat(first.pieces), [Symbol.dispose]: () => undefined };
  call.allowSilence(MOST_SILENCE);
  return inRoom(rules, limit, async () => {
    const all = await collect(pieces, first.pieces, limit, limit);
    return Buffer.concat(all.pieces);
  });
}

/** Reads a body to its end and drops it. Throws BODY_TOO_LARGE and INCOMPLETE_BODY. */
export async function discardPieces(call: Call, limit: number): Promise<void> {
  const pieces = piecesOf(call);
  let length = 0;
  for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
  }
}

export function tooLarge(limit: number): ForebayError {
  return new ForebayError(
    "BODY_TOO_LARGE",
    `The body is larger than the limit of this path: ${limit} bytes.`,
  );
}

export function incomplete(cause: unknown): ForebayError {
  const error = new ForebayError(
    "INCOMPLETE_BODY",
    "The connection ended before the whole body arrived. Send the request again.",
  );
  error.cause = cause;
  return error;
}

/** Reads a larger body once there is room for `length` bytes. Throws OVERLOADED, and what `read` throws. */
async function inRoom(rules: BodyRules, length: number, read: () => Promise<Uint8Array>): Promise<ReadBody> {
  const { budget } = rules;
  await budget.enter(length);
  try {
    const bytes = await inTime(rules, length, read());
    return { bytes, [Symbol.dispose]: () => budget.leave(length) };
  } catch (error) {
    budget.leave(length);
    throw error;
  }
}

/** Writes each piece to its place as it comes: joined at the end, the body would be in memory twice. */
async function readInto(call: Call, body: Uint8Array): Promise<Uint8Array> {
  const pieces = piecesOf(call);
  let length = 0;
  for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
    body.set(piece, length);
    length += piece.length;
    // The next piece uses the same memory.
    freeBytes(piece);
  }
  if (length < body.length) throw incomplete(undefined);
  return body;
}

/** Adds pieces until the body ends or has more than `enough` bytes. Throws BODY_TOO_LARGE above `limit`. */
async function collect(
  from: AsyncIterator<Uint8Array> | undefined,
  begun: readonly Uint8Array[],
  limit: number,
  enough: number,
): Promise<{ pieces: Uint8Array[]; isWhole: boolean }> {
  const pieces = [...begun];
  let length = begun.reduce((sum, piece) => sum + piece.length, 0);
  while (length <= enough) {
    const piece = await next(from);
    if (piece === undefined) return { pieces, isWhole: true };
    pieces.push(piece);
    length += piece.length;
    if (length > limit) throw tooLarge(limit);
  }
  return { pieces, isWhole: false };
}

/** The pieces of a body that has been read in part are those that follow. */
export function piecesOf({ request }: Call): AsyncIterator<Uint8Array> | undefined {
  let pieces = BEGUN.get(request);
  if (pieces !== undefined || request.bodyUsed) return pieces;
  pieces = request.body?.[Symbol.asyncIterator]();
  if (pieces !== undefined) BEGUN.set(request, pieces);
  return pieces;
}

const BEGUN = new WeakMap<Request, AsyncIterator<Uint8Array>>();

export async function next(pieces: AsyncIterator<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
  try {
    const piece = await pieces?.next();
    return piece === undefined || piece.done === true ? undefined : piece.value;
  } catch (error) {
    throw error instanceof ForebayError ? error : incomplete(error);
  }
}

/** Waits for a body as long as `length` bytes may take. Throws BODY_TOO_SLOW. */
async function inTime<Body>(
  { clock, time }: BodyRules,
  length: number,
  reading: Promise<Body>,
): Promise<Body> {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const stopTimer = clock.after(time + length / SLOWEST, () => {
    reject(
      new ForebayError(
        "BODY_TOO_SLOW",
        "The body arrived too slowly and was discarded. Send it again over a faster connection.",
      ),
    );
  });
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    stopTimer();
    // Nobody else listens if it rejects when the connection is closed.
    reading.catch(() => undefined);
  }
}
