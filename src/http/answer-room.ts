import type { Clock } from "../domain/clock.ts";
import { ForebayError } from "../domain/errors.ts";
import { onAbort } from "../domain/on-abort.ts";
import { PAYLOAD_INLINE_LIMIT, type Payload, sizeOf } from "../domain/payload.ts";
import { freeBytes } from "../engine/secret-box.ts";
import { SLOWEST } from "./body-pieces.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Call } from "./call.ts";
import { goingReply, SHORTEST_SILENCE } from "./going-reply.ts";
import { inPieces, JSON_TYPE, jsonReply, type Part, type Reply } from "./reply.ts";

/** How the large payloads of answers are held. */
export interface AnswerRules {
  readonly budget: ByteBudget;
  readonly clock: Clock;
  /** How long a large answer may take while others wait for room, ms; and 1 s more for each 128 kB. */
  readonly time: number;
  /** A reader that takes nothing for this long is disconnected, s. */
  readonly silence: number;
}

/** How long an answer waits for room, ms. Bursts of large answers pass in this time. */
const PATIENCE = 2_000;

/** The same for an answer that would lose its job without room, ms. */
export const MODEL_PATIENCE = 30_000;

/** How often we check on a reader whose time is over, ms. */
const LOOK_INTERVAL = 1_000;

/**
 * 200 with the JSON that `parts` creates of `payloads`. Payloads above 64 kB get room before they are read.
 * They keep it until the answer has been sent or the reader disconnects. Throws OVERLOADED, and what `parts`
 * throws.
 */
export async function payloadReply(
  call: Call,
  rules: AnswerRules,
  payloads: readonly (Payload | undefined)[],
  parts: () => Promise<readonly Part[]>,
  headers?: Readonly<Record<string, string>>,
): Promise<Reply> {
  const bytes = largeBytes(payloads);
  if (bytes === 0) return jsonReply(await parts(), headers);
  const room = new AnswerRoom(call, rules);
  return room.closeOnError(async () => {
    await room.enter(bytes);
    return room.reply(await parts(), headers);
  });
}

/** How much room the payloads need; 0 if they are small together. */
export function largeBytes(payloads: readonly (Payload | undefined)[]): number {
  let bytes = 0;
  for (const payload of payloads) if (payload !== undefined) bytes += sizeOf(payload);
  return bytes > PAYLOAD_INLINE_LIMIT ? bytes : 0;
}

const NO_TIMER = (): void => undefined;

/** The room of one answer for its large payloads. It is closed when the caller disconnects. */
export class AnswerRoom {
  readonly #call: Call;
  readonly #rules: AnswerRules;
  #bytes = 0;
  /** Bytes of small payloads that have no room yet. */
  #small = 0;
  #owned: Uint8Array[] = [];
  #isListening = false;
  #isClosed = false;
  #stopTimer = NO_TIMER;

  constructor(call: Call, rules: AnswerRules) {
    this.#call = call;
    this.#rules = rules;
  }

  /**
   * Makes room for a payload before it is read. Small payloads are added up first, so most need neither room
   * nor a promise. Throws as `enter` does.
   */
  add(payload: Payload, patience = PATIENCE): Promise<void> | undefined {
    this.#small += sizeOf(payload);
    if (this.#small <= PAYLOAD_INLINE_LIMIT) return undefined;
    const bytes = this.#small;
    this.#small = 0;
    return this.enter(bytes, patience);
  }

  /** Makes room for `bytes` more. Throws OVERLOADED if there is none within `patience` ms. */
  async enter(bytes: number, patience = PATIENCE): Promise<void> {
    if (!(await this.tryEnter(bytes, patience))) throw full();
  }

  /** The same; false if there is no room. */
  async tryEnter(bytes: number, patience = PATIENCE): Promise<boolean> {
    const { budget, clock } = this.#rules;
    if (!this.#isListening) onAbort(this.#call.request.signal, () => this.close());
    this.#isListening = true;
    if (this.#isClosed || !(await budget.enterWithin(bytes, patience, clock))) return false;
    // The caller can disconnect meanwhile.
    if (this.#isClosed) budget.leave(bytes);
    else this.#bytes += bytes;
    return !this.#isClosed;
  }

  /** Whether it holds room. */
  get isUsed(): boolean {
    return this.#bytes > 0;
  }

  /** Everything that was read so far has been sent. */
  leave(): void {
    this.#stopTimer();
    for (const bytes of this.#owned) freeBytes(bytes);
    this.#owned = [];
    this.#rules.budget.leave(this.#bytes);
    this.#bytes = 0;
    this.#small = 0;
  }

  /** Gives the room back, and takes none again. */
  close(): void {
    this.#isClosed = true;
    this.leave();
  }

  async closeOnError<Result>(act: () => Promise<Result>): Promise<Result> {
    try {
      return await act();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** 200 with a JSON document of these parts. The room is closed when all of them have been sent. */
  reply(parts: readonly Part[], headers?: Readonly<Record<string, string>>): Reply {
    if (this.#bytes === 0) return jsonReply(parts, headers);
    const { silence } = this.#rules;
    const reply = goingReply(this.#call, { ...JSON_TYPE, ...headers }, () => this.pieces(parts), silence);
    this.closeWhenAnswered();
    return reply;
  }

  /** For a call that `goingReply` answers. */
  closeWhenAnswered(): void {
    void this.#call.answered?.then(() => this.close());
  }

  /**
   * The parts in pieces, at the pace of the reader. A reader that takes too long while others wait for room
   * gets no more, and the runtime closes the connection.
   */
  async *pieces(parts: readonly Part[]): AsyncGenerator<Part> {
    this.#own(parts);
    if (this.#bytes > 0) this.#limitTime();
    for await (const piece of inPieces(parts)) {
      // A copy: the runtime can keep it longer than the payload is held here.
      yield typeof piece === "string" ? piece : new Uint8Array(piece);
      // The payloads are freed. Ending here would make the answer look complete.
      if (this.#isClosed) await gone(this.#call);
    }
  }

  /** Their memory is freed at the end, and not only when the garbage collector finds it. */
  #own(parts: readonly Part[]): void {
    for (const part of parts) {
      // Smaller payloads can belong to a row that others use too.
      if (typeof part !== "string" && part.length > PAYLOAD_INLINE_LIMIT) this.#owned.push(part);
    }
  }

  #limitTime(): void {
    const { budget, clock, time } = this.#rules;
    this.#stopTimer();
    const look = (): void => {
      if (budget.isWanted) {
        this.close();
        this.#call.allowSilence(SHORTEST_SILENCE);
      } else this.#stopTimer = clock.after(LOOK_INTERVAL, look);
    };
    if (!this.#isClosed) this.#stopTimer = clock.after(time + this.#bytes / SLOWEST, look);
  }
}

/** Resolves when the caller disconnects. */
function gone({ request }: Call): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onAbort(request.signal, resolve);
  return promise;
}

function full(): ForebayError {
  return new ForebayError(
    "OVERLOADED",
    "The server is sending as many large answers as its memory allows. Try again in a moment.",
  );
}
