import { z } from "zod";
import { replaceWorker, stopWorker } from "../../engine/ask-worker.ts";
import { endpointWorkers } from "../../engine/endpoint-workers.ts";
import { createWorkerToken } from "../../engine/records/worker-tokens.ts";
import { workerEnvironment } from "../../engine/worker-environment.ts";
import { endpointOperation } from "../account-operation.ts";
import {
  ADMISSION,
  type AdmissionAnswer,
  presentWorker,
  WORKERS,
  type WorkersAnswer,
} from "../answers/worker.ts";
import { jsonValue, noContent } from "../reply.ts";
import { PAGE, pageOf, placeBy } from "./page.ts";

const list = endpointOperation({
  id: "listWorkers",
  method: "GET",
  path: "/v1/endpoints/{endpoint}/workers",
  access: "manage",
  tag: "endpoints",
  summary: "List the workers",
  description: "Workers that Forebay started, on any server, and workers that you started.",
  query: PAGE,
  answers: { 200: { description: "The workers.", json: WORKERS } },
  async handle({ engine }, _call, { endpoint, query }) {
    const page = query();
    const { items, nextCursor } = pageOf(page, await endpointWorkers(engine, endpoint.id), (worker) =>
      placeBy(worker.startedAt ?? 0, worker.id),
    );
    return jsonValue({ workers: items.map(presentWorker), nextCursor } satisfies WorkersAnswer);
  },
});

const admit = endpointOperation({
  id: "admitWorker",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/workers",
  access: "manage",
  tag: "endpoints",
  summary: "Admit a worker",
  description: "One that Forebay does not start. With `many` the token serves any number of workers.",
  body: {
    schema: z
      .strictObject({ many: z.boolean().default(false) })
      .meta({ id: "WorkerAdmission", description: "For how many workers the token is." }),
    example: { many: false },
    isRequired: false,
  },
  answers: { 200: { description: "How it connects.", json: ADMISSION } },
  errors: ["LIMIT_REACHED", "STORAGE_FULL"],
  async handle({ engine, publicUrl }, _call, { endpoint, body }) {
    const { many } = await body();
    const created = await createWorkerToken(engine, endpoint, { many, managed: false });
    const env = workerEnvironment(created, publicUrl(), engine.durations.pingInterval);
    return jsonValue({ workerId: created.record.id, env } satisfies AdmissionAnswer);
  },
});

const stop = endpointOperation({
  id: "stopWorker",
  method: "DELETE",
  path: "/v1/endpoints/{endpoint}/workers/{worker}",
  access: "manage",
  tag: "endpoints",
  summary: "Stop a worker",
  description:
    "One that Forebay started gets no more jobs and has the drain grace for those that it has. Of any " +
    "other the token is refused from now on. What it does not finish goes out again.",
  answers: { 204: { description: "It ends." } },
  errors: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [, worker = ""] }, { endpoint }) {
    await stopWorker(engine, endpoint.id, worker);
    return noContent();
  },
});

const replace = endpointOperation({
  id: "replaceWorker",
  method: "POST",
  path: "/v1/endpoints/{endpoint}/workers/{worker}/replace",
  access: "manage",
  tag: "endpoints",
  summary: "Replace a worker",
  description:
    "It gets no more jobs and ends after those that it has; a fresh one starts as soon as the endpoint " +
    "wants one.",
  answers: { 204: { description: "It ends after its jobs." } },
  errors: ["WORKER_NOT_FOUND", "WORKER_NOT_MANAGED", "CHANGED_MEANWHILE", "STORAGE_FULL"],
  async handle({ engine }, { parameters: [, worker = ""] }, { endpoint }) {
    await replaceWorker(engine, endpoint.id, worker);
    return noContent();
  },
});

/** The workers of an endpoint: list, admit one that Forebay does not start, stop, replace. */
export const WORKER_OPERATIONS = [list, admit, stop, replace] as const;
