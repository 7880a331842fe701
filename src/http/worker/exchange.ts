import type { WorkerIdentity } from "../../domain/worker.ts";
import { exchange, type ExchangeAnswer } from "../../engine/exchange.ts";
import { MB, withBody } from "../body.ts";
import type { Call } from "../call.ts";
import { callingWorker, type HttpContext, workerBody } from "../context.ts";
import { takenJobParts } from "../present/taken-job.ts";
import { jsonReply, type Part } from "../reply.ts";
import type { Route } from "../route.ts";
import { type ExchangeBody, parseExchange } from "./exchange-body.ts";

/** Many results may travel together. */
const EXCHANGE_LIMIT = 32 * MB;

/**
 * The whole protocol of Forebay's own worker library in one call (design, row 25): results, chunks and
 * progress in, the next jobs and the jobs to stop out. It is the heartbeat as well, so it is held no longer
 * than a ping interval.
 */
export function exchangeRoute(context: HttpContext): Route {
  const { engine } = context;
  return {
    methods: ["POST"],
    path: "/v2/{endpoint}/exchange/{worker}",
    async handle(call) {
      const worker = callingWorker(context, call);
      const answer = await withBody(call, workerBody(context, EXCHANGE_LIMIT), async (body) =>
        answerExchange(call, worker, await parseExchange(body, worker)),
      );
      const parts: Part[] = ['{"jobs":['];
      for (const [index, job] of answer.jobs.entries()) {
        parts.push(`${index === 0 ? "" : ","}{"attempt":${job.attempt},"job":`);
        parts.push(...(await takenJobParts(engine, worker.endpoint, job)), "}");
      }
      parts.push(`],"stop":${JSON.stringify(answer.stop)},"ignored":${JSON.stringify(answer.ignored)}}`);
      return jsonReply(parts);
    },
  };

  function answerExchange(call: Call, worker: WorkerIdentity, body: ExchangeBody): Promise<ExchangeAnswer> {
    const { alive, yields, progress, results, wantsReplacement, take, wait } = body;
    const hold = Math.min(wait, engine.durations.pingInterval);
    if (hold > 0) call.allowSilence(0);
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
}
