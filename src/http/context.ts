import { type WorkerIdentity, workerOf } from "../domain/worker.ts";
import type { Engine } from "../engine/engine.ts";
import { rateSharing } from "../engine/rate-sharing.ts";
import { runningWorkers } from "../engine/health.ts";
import type { AnswerRules } from "./answer-room.ts";
import { Auth } from "./auth.ts";
import { MB } from "./body.ts";
import type { BodyRules } from "./body-pieces.ts";
import { type AnswerBudgets, type ByteBudgets, byteBudgets } from "./byte-budget.ts";
import type { Call } from "./call.ts";
import { RateLimiter } from "./limits/rate-limiter.ts";

/** What all routes work with. */
export interface HttpContext {
  readonly engine: Engine;
  readonly auth: Auth;
  readonly rateLimiter: RateLimiter;
  /** Room for large bodies. */
  readonly budgets: ByteBudgets;
  /** How large bodies are read. */
  readonly bodies: { readonly clients: BodyRules; readonly workers: BodyRules };
  /** How large payloads of answers are held. */
  readonly answers: { readonly clients: AnswerRules; readonly workers: AnswerRules };
  /** The address under which clients and workers reach the server, without a path. */
  readonly publicUrl: () => string;
}

/** The operator's settings for requests. */
export interface HttpSettings {
  /** Empty: only the stored keys are valid. */
  readonly adminKey: string;
  /** Room for the large bodies of clients, MB. */
  readonly bodyBudget: number;
  /** How long a large body may take, ms; and 1 s more for each 128 kB. */
  readonly bodyTime: number;
  /** How long an answer may stay unread, ms. */
  readonly restTime: number;
}

export function httpContext(engine: Engine, settings: HttpSettings, publicUrl: () => string): HttpContext {
  const budgets = byteBudgets(settings.bodyBudget * MB);
  const rulesOf = (whose: keyof AnswerBudgets): AnswerRules => ({
    budget: budgets.answers[whose],
    clock: engine.clock,
    time: settings.bodyTime,
    silence: Math.ceil(settings.restTime / 1_000),
  });
  return {
    engine,
    auth: new Auth(engine, settings.adminKey, publicUrl),
    rateLimiter: new RateLimiter(
      engine.clock,
      (endpoint) => runningWorkers(engine, endpoint),
      rateSharing(engine),
    ),
    budgets,
    bodies: {
      clients: { budget: budgets.clients, clock: engine.clock, time: settings.bodyTime },
      workers: { budget: budgets.workers, clock: engine.clock, time: settings.bodyTime },
    },
    answers: { clients: rulesOf("clients"), workers: rulesOf("workers") },
    publicUrl,
  };
}

/** The worker of a worker's call: endpoint and worker id are the first two parameters of the path. */
export function callingWorker({ auth }: HttpContext, call: Call): WorkerIdentity {
  const [endpoint = "", id = ""] = call.parameters;
  return workerOf(auth.worker(call, endpoint), id);
}
