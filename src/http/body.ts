import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";
import { announcedLength } from "./announced-length.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Call } from "./call.ts";
import { refuseCompressed } from "./media-type.ts";

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

/**
 * Reads the whole body, by counted bytes at most `limit`, and hands it to `use`; it counts as in flight until
 * that is done. Throws BODY_TOO_LARGE, BODY_TOO_SLOW, INCOMPLETE_BODY, INVALID_HEADER,
 * MEDIA_TYPE_NOT_SUPPORTED and OVERLOADED, and what `use` throws.
 */
export async function withBody<Result>(
  call: Call,
  rules: BodyRules,
  use: (body: Uint8Array) => Promise<Result>,
): Promise<Result> {
  refuseCompressed(call);
  const length = announcedLength(call.request);
  if (length === undefined) return withCounted(call, rules, use);
  if (length > rules.limit) throw tooLarge(rules.limit);
  if (length <= SMALL_BODY) return use(await read(call));
  call.allowSilence(MOST_SILENCE);
  await rules.budget.enter(length);
  try {
    return await use(await inTime(rules, length, readInto(call, Buffer.allocUnsafeSlow(length))));
  } finally {
    rules.budget.leave(length);
  }
}

/**
 * For routes that take no body: what is sent all the same is read to its end and not looked at, because a
 * request that was cut off asks for nothing. Throws BODY_TOO_LARGE, INCOMPLETE_BODY and INVALID_HEADER.
 */
export async function passOverBody(call: Call): Promise<void> {
  refuseCompressed(call);
  if ((announcedLength(call.request) ?? 0) > MB) throw tooLarge(MB);
  const pieces = piecesOf(call);
  let length = 0;
  for (let piece = await next(pieces); piece !== undefined; piece = await next(pieces)) {
    length += piece.length;
    if (length > MB) throw tooLarge(MB);
  }
}

/** As long as the runtime can wait, s. */
const MOST_SILENCE = 255;

async function read(call: Call): Promise<Uint8Array> {
  try {
    return await call.request.bytes();
  } catch (error) {
    throw incomplete(error);
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
async function withCounted<Result>(
  call: Call,
  rules: BodyRules,
  use: (body: Uint8Array) => Promise<Result>,
): Promise<Result> {
  const { limit, budget } = rules;
  const pieces = piecesOf(call);
  const first = await collect(pieces, [], limit, SMALL_BODY);
  if (first.isWhole) return use(Buffer.concat(first.pieces));
  call.allowSilence(MOST_SILENCE);
  await budget.enter(limit);
  try {
    const all = await inTime(rules, limit, collect(pieces, first.pieces, limit, limit));
    return await use(Buffer.concat(all.pieces));
  } finally {
    budget.leave(limit);
  }
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
