import { setImmediate } from "node:timers/promises";
import { choose, type Choice } from "./choose.ts";
import type { LanguageModel } from "./language-model.ts";
import { StopTexts } from "./stop-texts.ts";
import { MARKS } from "./tokenizer.ts";

export interface Generation extends Choice {
  /** Tokens to read, at least one. */
  readonly prompt: readonly number[];
  /** Tokens to write at most, with the prompt at most SHAPE.context. */
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** Ends it early, without an error. */
  readonly signal: AbortSignal;
}

/** Text that was written, and how it ended. */
export interface Piece {
  readonly text: string;
  /** Tokens written so far. */
  readonly count: number;
  /** Of the last piece: whether the text has ended by itself or by a stop, or was cut. */
  readonly finish?: "stop" | "length";
}

/**
 * Reads a prompt and goes on with it, a piece for each token. Other jobs get their turn after each: one that
 * computes without a pause would keep the worker from its heartbeat.
 */
export async function* generate(model: LanguageModel, asked: Generation): AsyncGenerator<Piece> {
  const { prompt, maxTokens, stop, signal } = asked;
  const reader = model.reader();
  let state: Float64Array = new Float64Array();
  for (const token of prompt) {
    if (signal.aborted) return;
    state = reader.read(token);
    if (reader.count % 16 === 0) await setImmediate();
  }
  // A character can be spread over several tokens.
  const decoder = new TextDecoder();
  const stops = new StopTexts(stop);
  for (let count = 0; count < maxTokens && !signal.aborted;) {
    const token = choose(reader.scores(state), asked);
    if (token === MARKS.end) {
      yield { text: stops.add(decoder.decode()) + stops.finish(), count, finish: "stop" };
      return;
    }
    count++;
    const text = stops.add(decoder.decode(model.tokenizer.bytesOf(token), { stream: true }));
    if (stops.hasStopped) {
      yield { text, count, finish: "stop" };
      return;
    }
    if (count === maxTokens) {
      yield { text: text + stops.add(decoder.decode()) + stops.finish(), count, finish: "length" };
      return;
    }
    yield { text, count };
    state = reader.read(token);
    await setImmediate();
  }
}
