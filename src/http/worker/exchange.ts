import type { WorkerIdentity } from "../../domain/worker.ts";
import { carryJobs } from "../../engine/carry-jobs.ts";
import type { Engine } from "../../engine/engine.ts";
import { bringsSomething, exchange, type ExchangeAnswer } from "../../engine/exchange.ts";
import { MB, readBody } from "../body.ts";
import { AnswerRoom } from "../answer-room.ts";
import type { Call } from "../call.ts";
import type { HttpContext } from "../context.ts";
import { logFault } from "../error-reply.ts";
import { EXCHANGED, TAKEN_JOB } from "../answers/worker-protocol.ts";
import { elementParts, takenJobParts } from "../present/taken-job.ts";
import type { Part } from "../reply.ts";
import { workerOperation } from "../worker-operation.ts";
import { type ExchangeBody, parseExchange } from "./exchange-body.ts";
import { EXCHANGE } from "./report-schemas.ts";

/** Many results can be in one body. */
const EXCHANGE_LIMIT = 32 * MB;

/**
 * The whole protocol of Forebay's own worker library in one call (design, row 25): it brings results, chunks
 * and progress, and returns the next jobs and the jobs to stop. It is the heartbeat too, so it is held no
 * longer than a ping interval.
 */
export const exchangeNews = workerOperation({
  id: "exchange",
  method: "POST",
  path: "/v2/{endpoint}/exchange/{worker}",
  summary: "Report, and take, in one call",
  description: "All of the protocol in one call, fenced by attempt. A body has at most 32 MB.",
  body: {
    schema: EXCHANGE,
    example: {
      alive: [],
      results: [{ id: TAKEN_JOB.example.id, attempt: 1, output: { text: "Hello, world" } }],
      take: 1,
    },
    isRequired: true,
  },
  answers: { 200: { description: "All of the call is stored.", json: EXCHANGED } },
  errors: ["STORAGE_FULL"],
  async handle(context, call, { worker }) {
    const { signal } = call.request;
    const [body, answer] = await stored(context, call, worker);
    const room = new AnswerRoom(call, context.answers.workers);
    const jobs = await exchangedJobs(context.engine, room, worker, signal, body, answer);
    const { stop, ignored } = answer;
    const rest = `],"stop":${JSON.stringify(stop)},"ignored":${JSON.stringify(ignored)}}`;
    return room.reply(['{"jobs":[', ...elementParts(jobs), rest]);
  },
});

async function stored(
  context: HttpContext,
  call: Call,
  worker: WorkerIdentity,
): Promise<readonly [ExchangeBody, ExchangeAnswer]> {
  using read = await readBody(call, context.bodies.workers, EXCHANGE_LIMIT);
  const body = await parseExchange(read.bytes, worker);
  return [body, await answerExchange(context.engine, call, worker, body)];
}

/** A worker that has reported something must learn that it was stored, even if no job can be read. */
async function exchangedJobs(
  engine: Engine,
  room: AnswerRoom,
  worker: WorkerIdentity,
  signal: AbortSignal,
  body: ExchangeBody,
  answer: ExchangeAnswer,
): Promise<readonly (readonly Part[])[]> {
  const hasNews = bringsSomething(body) || answer.stop.length > 0;
  try {
    return await carryJobs(engine, { worker, signal }, answer.jobs, (job) => {
      const parts = takenJobParts(engine, room, worker.endpoint, job);
      const attempt = (taken: readonly Part[]) => [`{"attempt":${job.attempt},"job":`, ...taken, "}"];
      return parts instanceof Promise ? parts.then(attempt) : attempt(parts);
    });
  } catch (error) {
    room.close();
    if (!hasNews) throw error;
    logFault(error, engine.log);
    return [];
  }
}

function answerExchange(
  engine: Engine,
  call: Call,
  worker: WorkerIdentity,
  body: ExchangeBody,
): Promise<ExchangeAnswer> {
  const { alive, yields, progress, results, wantsReplacement, take, wait } = body;
  const hold = Math.min(wait, engine.durations.pingInterval);
  const reported = results.map((result) => result.job);
  return exchange(engine, {
    worker,
    sighting: {
      shown: { kind: "these", ids: [...alive, ...reported] },
      crossing: 1,
      denials: 1,
      call: "exchange",
    },
    yields,
    progress,
    results,
    wantsReplacement,
    count: take,
    hold,
    signal: call.request.signal,
  });
}
