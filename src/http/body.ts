import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";
import { refuseCompressed } from "./body-headers.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Call } from "./call.ts";

/** The spec's MB (design, row 15). */
export const MB = 1_048_576;

/** How a route reads bodies. */
export interface BodyRules {
  /** Bytes. */
  readonly limit: number;
  /** In which larger bodies need room. */
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** How long a larger body may take, ms; and a second more for each 128 kB. */
  readonly time: number;
}

/** Bodies up to here need no room; the runtime cuts those that come too slowly. */
const SMALL_BODY = 65_536;

/** Slower senders are cut once the time of a body is over, bytes per ms. */
export const SLOWEST = 131_072 / 1_000;

/** A body that was read. It counts as in flight until it is disposed of. */
export interface ReadBody extends Disposable {
  readonly bytes: Uint8Array;
}

/**
 * Reads the whole body, by counted bytes at most `limit`. Throws BODY_TOO_LARGE, BODY_TOO_SLOW,
 * INCOMPLETE_BODY, MEDIA_TYPE_NOT_SUPPORTED and OVERLOADED.
 */
export async function readBody(call: Call, rules: BodyRules): Promise<ReadBody> {
  refuseCompressed(call);
  const { length } = call;
  if (length === undefined) return readCounted(call, rules);
  if (length > rules.limit) throw tooLarge(rules.limit);
  if (length <= SMALL_BODY) {
    try {
      return small(await call.request.bytes());
    } catch (error) {
      throw incomplete(error);
    }
  }
  call.allowSilence(MOST_SILENCE);
  return inRoom(rules, length, () => readInto(call, Buffer.allocUnsafeSlow(length)));
}

/**
 * For routes that take no body: what is sent all the same is read to its end and not looked at, because a
 * request that was cut off asks for nothing. Throws BODY_TOO_LARGE, INCOMPLETE_BODY and
 * MEDIA_TYPE_NOT_SUPPORTED.
 */
export async function passOverBody(call: Call): Promise<void> {
  refuseCompressed(call);
  if ((call.length ?? 0) > MB) throw tooLarge(MB);
  const pieces = piecesOf(call);
  let length = 0;
  for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
    length += piece.length;
    if (length > MB) throw tooLarge(MB);
  }
}

/** As long as the runtime can wait, s. */
const MOST_SILENCE = 255;

function small(bytes: Uint8Array): ReadBody {
  return { bytes, [Symbol.dispose]: NO_ROOM };
}

const NO_ROOM = (): void => undefined;

/** A larger body, once there is room for `length` bytes. Throws OVERLOADED, and what `read` throws. */
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

/** A body of announced length, each piece at its place as it comes: put together later it would be twice. */
async function readInto(call: Call, body: Uint8Array): Promise<Uint8Array> {
  const pieces = piecesOf(call);
  let length = 0;
  for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
    body.set(piece, length);
    length += piece.length;
  }
  if (length < body.length) throw incomplete(undefined);
  return body;
}

/** A body of unannounced length; once it is no longer small it needs as much room as it may come to have. */
async function readCounted(call: Call, rules: BodyRules): Promise<ReadBody> {
  const { limit } = rules;
  const pieces = piecesOf(call);
  const first = await collect(pieces, [], limit, SMALL_BODY);
  if (first.isWhole) return small(Buffer.concat(first.pieces));
  call.allowSilence(MOST_SILENCE);
  return inRoom(rules, limit, async () => {
    const all = await collect(pieces, first.pieces, limit, limit);
    return Buffer.concat(all.pieces);
  });
}

/** Adds pieces until there are none, or more than `enough` bytes. Throws BODY_TOO_LARGE above `limit`. */
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

function piecesOf(call: Call): AsyncIterator<Uint8Array> | undefined {
  return call.request.body?.[Symbol.asyncIterator]();
}

async function next(pieces: AsyncIterator<Uint8Array> | undefined): Promise<Uint8Array | undefined> {
  try {
    const piece = await pieces?.next();
    return piece === undefined || piece.done === true ? undefined : piece.value;
  } catch (error) {
    throw incomplete(error);
  }
}

/** What is being read, if it is there in the time that `length` bytes have. Throws BODY_TOO_SLOW. */
async function inTime<Body>(
  { clock, time }: BodyRules,
  length: number,
  reading: Promise<Body>,
): Promise<Body> {
  const { promise: tooSlow, reject } = Promise.withResolvers<never>();
  const stopTimer = clock.after(time + length / SLOWEST, () => {
    reject(new ForebayError("BODY_TOO_SLOW", "The body came too slowly. Nothing of it was used."));
  });
  try {
    return await Promise.race([reading, tooSlow]);
  } finally {
    stopTimer();
    // It ends in vain when the connection is closed.
    reading.catch(() => undefined);
  }
}

function tooLarge(limit: number): ForebayError {
  return new ForebayError(
    "BODY_TOO_LARGE",
    `The body is larger than the ${limit} bytes that this path takes.`,
  );
}

function incomplete(cause: unknown): ForebayError {
  const error = new ForebayError(
    "INCOMPLETE_BODY",
    "The connection ended before the whole body had arrived.",
  );
  error.cause = cause;
  return error;
}
