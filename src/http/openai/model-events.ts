import { ForebayError } from "../../domain/errors.ts";
import type { JobRecord } from "../../domain/job.ts";
import type { Log } from "../../domain/log.ts";
import { isStored, PAYLOAD_INLINE_LIMIT } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import type { StreamNews } from "../../engine/follow-stream.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { shownError } from "../error-reply.ts";
import { COMMENT } from "../event-stream.ts";
import type { Part } from "../reply.ts";
import { errorEventOf, failureOfText } from "./chunk-failure.ts";
import { EventText } from "./event-text.ts";
import { failureOfJob, failureOfOutput, ModelFailure } from "./model-failure.ts";
import { openAiErrorText } from "./openai-error.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { outputValues, smallOutputValues, stringOf, YieldedOutputs } from "./outputs.ts";
import { errorOf, headOf } from "./whole-answer.ts";

/** The end of an OpenAI stream, except for streams whose events have types. */
const DONE = "data: [DONE]\n\n";
const TYPED = /\/(?:responses|messages)(?:\?|$)/;

/** What one streamed answer needs. */
interface Answering {
  readonly engine: Engine;
  readonly room: AnswerRoom;
  readonly log: Log;
  readonly route: string;
}

/** The events of a streamed answer, each sent as soon as its worker yields it (wire-facts 4.3). */
export class ModelEvents {
  readonly #answering: Answering;
  readonly #text = new EventText();
  readonly #outputs: YieldedOutputs;
  #isBegun = false;

  constructor(answering: Answering) {
    this.#answering = answering;
    this.#outputs = new YieldedOutputs(answering.engine, answering.room);
  }

  /**
   * Throws an error that occurs before the first event: ModelFailure, or an error of the caller. A later
   * error becomes the last event. If the caller disconnects before the job ends, the events just stop.
   */
  async *all(news: AsyncIterable<StreamNews>): AsyncGenerator<Part> {
    const { engine, room, log } = this.#answering;
    try {
      for await (const update of news) {
        const events = await this.#eventsOf(update);
        if (events !== "") {
          this.#isBegun = true;
          yield* room.pieces(largeAsBytes(events));
        }
        if (!this.#outputs.isOpen) room.leave();
        if (!update.isLast) continue;
        const last = await this.#lastEvents(update.job);
        this.#isBegun = true;
        yield* room.pieces(largeAsBytes(last));
        return;
      }
      if (engine.isStopping) {
        throw new ForebayError("SHUTTING_DOWN", "The server is stopping. Try again in a moment.");
      }
    } catch (error) {
      if (!this.#isBegun) throw error;
      const failure = error instanceof ModelFailure ? error.text : openAiErrorText(shownError(error, log));
      yield `data: ${failure}\n\n`;
    }
  }

  /** The events of chunks that are in memory, 64 kB at most. Undefined if the answer has not begun. */
  ofSmall({ chunks }: StreamNews): string | undefined {
    if (!this.#isBegun || this.#outputs.isOpen) return undefined;
    let events = "";
    for (const chunk of chunks) {
      if (isStored(chunk)) return undefined;
      const output = this.#outputs.addSmall(chunk);
      for (const value of output === undefined ? [] : smallOutputValues(output))
        events += this.#eventOf(value);
    }
    return events;
  }

  async #eventsOf({ chunks, isAnew, isLast }: StreamNews): Promise<string> {
    if (isAnew && this.#isBegun) throw lostWorker();
    if (isAnew) {
      this.#text.finish();
      this.#outputs.forget();
    }
    let events = "";
    for (const chunk of chunks) {
      const output = await this.#outputs.add(chunk);
      if (output !== undefined) events += await this.#eventsIn(output, this.#isBegun || events !== "");
    }
    const isQuiet = chunks.length === 0 && !isLast && !isAnew;
    return isQuiet && this.#isBegun ? COMMENT : events;
  }

  /** The events of an output: one for each element of a list. Throws ModelFailure. */
  async #eventsIn(output: Uint8Array, isBegun: boolean): Promise<string> {
    let events = "";
    for (const value of await outputValues(output)) {
      if (!isBegun && events === "") await refuseFailure(value, this.#text.isHolding);
      events += this.#eventOf(value);
    }
    return events;
  }

  /** Text stays as it is; anything else becomes an event, a failure one that clients raise. */
  #eventOf(value: Uint8Array): string {
    const string = stringOf(value);
    if (string !== undefined) {
      return this.#text.add((this.#text.isHolding ? undefined : errorEventOf(string)) ?? string);
    }
    const json = onOneLine(value);
    const failure = errorEventOf(json);
    return failure === undefined ? this.#text.addEvent(json) : this.#text.finish() + failure;
  }

  /** What is left when the job has ended: its output if nothing was yielded before. */
  async #lastEvents(job: JobRecord): Promise<string> {
    const { engine, room, route } = this.#answering;
    if (job.state !== "COMPLETED") throw failureOfJob(job.state, await errorOf(engine, job));
    let last = this.#text.finish();
    if (!this.#isBegun && last === "" && job.output !== undefined) {
      await room.add(job.output, MODEL_PATIENCE);
      last = await this.#eventsIn(await payloadBytes(engine, job.output), false);
      last += this.#text.finish();
    }
    return this.#text.isDone || TYPED.test(route) ? last : last + DONE;
  }
}

/** Large text becomes bytes, so that it is sent in pieces. */
function largeAsBytes(events: string): Part[] {
  return [events.length > PAYLOAD_INLINE_LIMIT ? Buffer.from(events) : events];
}

/** Some workers return an error as their first output and report the job COMPLETED. */
async function refuseFailure(value: Uint8Array, isContinued: boolean): Promise<void> {
  const text = stringOf(value);
  if (text !== undefined && isContinued) return;
  const failure = text === undefined ? failureOfOutput(await headOf(value)) : failureOfText(text);
  if (failure !== undefined) throw failure;
}

/** Shared, because creating one costs more than it decodes here. */
const DECODER = new TextDecoder();

function onOneLine(json: Uint8Array): string {
  return DECODER.decode(json).replace(/[\r\n]+/g, " ");
}

function lostWorker(): ModelFailure {
  return new ModelFailure(500, { message: "The worker was lost before it finished its answer." });
}
