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
import { EventText } from "./event-text.ts";
import { failureOfJob, failureOfOutput, ModelFailure } from "./model-failure.ts";
import { openAiErrorText } from "./openai-error.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { outputValues, smallOutputValues, stringOf, YieldedOutputs } from "./outputs.ts";
import { errorOf, headOf } from "./whole-answer.ts";

/** What ends a stream of OpenAI, but for those whose events have types. */
const DONE = "data: [DONE]\n\n";
const TYPED = /\/(?:responses|messages)(?:\?|$)/;

/** Where the events of one streamed answer come from, and what goes wrong with it. */
interface Answering {
  readonly engine: Engine;
  readonly room: AnswerRoom;
  readonly log: Log;
  readonly route: string;
}

/** The events of a streamed answer, each as soon as its worker has put it out (wire-facts 4.3). */
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
   * What goes wrong before the first event is thrown: ModelFailure, or an error of the caller. Later it is
   * the last event. Without a job's end, when the caller has gone, they just stop.
   */
  async *all(news: AsyncIterable<StreamNews>): AsyncGenerator<Part> {
    const { engine, room, log } = this.#answering;
    try {
      for await (const told of news) {
        const events = await this.#eventsOf(told);
        if (events !== "") {
          this.#isBegun = true;
          yield* room.pieces(largeAsBytes(events));
        }
        if (!this.#outputs.isOpen) room.leave();
        if (!told.isLast) continue;
        const last = await this.#lastEvents(told.job);
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

  /** The events of chunks that are here, 64 kB at most, if the answer has begun; otherwise undefined. */
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

  /** Of a list each element. Throws ModelFailure. */
  async #eventsIn(output: Uint8Array, isBegun: boolean): Promise<string> {
    let events = "";
    for (const value of await outputValues(output)) {
      if (!isBegun && events === "" && stringOf(value) === undefined) await refuseFailure(value);
      events += this.#eventOf(value);
    }
    return events;
  }

  /** Text as it is, anything else as an event. */
  #eventOf(value: Uint8Array): string {
    const string = stringOf(value);
    return string === undefined ? this.#text.addEvent(onOneLine(value)) : this.#text.add(string);
  }

  /** What is left when the job has ended; its output where nothing was put out before. */
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

/** Bytes leave piece by piece. */
function largeAsBytes(events: string): Part[] {
  return [events.length > PAYLOAD_INLINE_LIMIT ? Buffer.from(events) : events];
}

/** Some workers answer an error as their first output, and call the job COMPLETED. */
async function refuseFailure(value: Uint8Array): Promise<void> {
  const failure = failureOfOutput(await headOf(value));
  if (failure !== undefined) throw failure;
}

/** Made once: it costs more than what it decodes. */
const DECODER = new TextDecoder();

function onOneLine(json: Uint8Array): string {
  return DECODER.decode(json).replace(/[\r\n]+/g, " ");
}

function lostWorker(): ModelFailure {
  return new ModelFailure(500, { message: "The worker was lost before its answer was whole." });
}
