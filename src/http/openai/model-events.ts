import { ForebayError } from "../../domain/errors.ts";
import type { JobRecord } from "../../domain/job.ts";
import type { Log } from "../../domain/log.ts";
import { PAYLOAD_INLINE_LIMIT } from "../../domain/payload.ts";
import type { Engine } from "../../engine/engine.ts";
import type { StreamNews } from "../../engine/follow-stream.ts";
import { type AnswerRoom, MODEL_PATIENCE } from "../answer-room.ts";
import { toldError } from "../error-reply.ts";
import { COMMENT } from "../event-stream.ts";
import type { Part } from "../reply.ts";
import { EventText } from "./event-text.ts";
import { failureOfJob, failureOfOutput, ModelFailure } from "./model-failure.ts";
import { openAiErrorText } from "./openai-error.ts";
import { payloadBytes } from "../present/payload-part.ts";
import { outputValues, stringOf } from "./output-values.ts";
import { errorOf, headOf } from "./whole-answer.ts";
import { YieldedOutputs } from "./yielded-outputs.ts";

/** What ends a stream of OpenAI, but for those whose events have types. */
const DONE = "data: [DONE]\n\n";
const TYPED = /\/(?:responses|messages)(?:\?|$)/;

/**
 * The events of a streamed answer, each as soon as its worker has put it out (wire-facts 4.3). What goes
 * wrong before the first one is thrown: ModelFailure, or an error of the caller. Later it is the last event.
 * Without a job's end, when the caller has gone, they just stop.
 */
export async function* modelEvents(
  engine: Engine,
  room: AnswerRoom,
  log: Log,
  route: string,
  news: AsyncIterable<StreamNews>,
): AsyncGenerator<Part> {
  const text = new EventText();
  const outputs = new YieldedOutputs(engine, room);
  let isBegun = false;
  try {
    for await (const { job, chunks, isAnew, isLast } of news) {
      if (isAnew && isBegun) throw lostWorker();
      if (isAnew) {
        text.finish();
        outputs.forget();
      }
      let events = "";
      for (const chunk of chunks) {
        const output = await outputs.add(chunk);
        if (output !== undefined) events += await eventsOf(output, text, isBegun || events !== "");
      }
      const isQuiet = chunks.length === 0 && !isLast && !isAnew;
      if (isQuiet && isBegun) events = COMMENT;
      if (events !== "") {
        isBegun = true;
        yield* room.pieces(largeAsBytes(events));
      }
      if (!outputs.isOpen) room.leave();
      if (!isLast) continue;
      const last = await lastEvents(engine, room, job, text, isBegun);
      isBegun = true;
      yield* room.pieces(largeAsBytes(text.isDone || TYPED.test(route) ? last : last + DONE));
      return;
    }
    if (engine.isStopping) {
      throw new ForebayError("SHUTTING_DOWN", "The server is stopping. Try again in a moment.");
    }
  } catch (error) {
    if (!isBegun) throw error;
    const failure = error instanceof ModelFailure ? error.text : openAiErrorText(toldError(error, log));
    yield `data: ${failure}\n\n`;
  }
}

/** Text as it is, anything else as an event; of a list each element. Throws ModelFailure. */
async function eventsOf(output: Uint8Array, text: EventText, isBegun: boolean): Promise<string> {
  let events = "";
  for (const value of await outputValues(output)) {
    const string = stringOf(value);
    if (string !== undefined) events += text.add(string);
    else {
      if (!isBegun && events === "") await refuseFailure(value);
      events += text.addEvent(onOneLine(value));
    }
  }
  return events;
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

/** What is left when the job has ended; its output where nothing was put out before. */
async function lastEvents(
  engine: Engine,
  room: AnswerRoom,
  job: JobRecord,
  text: EventText,
  isBegun: boolean,
): Promise<string> {
  if (job.state !== "COMPLETED") throw failureOfJob(job.state, await errorOf(engine, job));
  const rest = text.finish();
  if (isBegun || rest !== "" || job.output === undefined) return rest;
  await room.add(job.output, MODEL_PATIENCE);
  const events = await eventsOf(await payloadBytes(engine, job.output), text, false);
  return events + text.finish();
}

function onOneLine(json: Uint8Array): string {
  return new TextDecoder().decode(json).replace(/[\r\n]+/g, " ");
}

function lostWorker(): ModelFailure {
  return new ModelFailure(500, { message: "The worker was lost before its answer was whole." });
}
