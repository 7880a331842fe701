import { z } from "zod";
import type { Endpoint } from "../../domain/endpoint.ts";
import { ForebayError } from "../../domain/errors.ts";
import { onAbort } from "../../domain/on-abort.ts";
import { TTL } from "../../domain/policy.ts";
import { isTerminal } from "../../domain/transitions.ts";
import { awaitEnd } from "../../engine/await-end.ts";
import type { Engine } from "../../engine/engine.ts";
import { followStream, type StreamNews } from "../../engine/follow-stream.ts";
import { type OwnJob, ownJob } from "../../engine/cancel.ts";
import { submit } from "../../engine/submit.ts";
import { AnswerRoom } from "../answer-room.ts";
import { type Call, REQUEST_ID, requestLog } from "../call.ts";
import { clientOperation } from "../client-operation.ts";
import type { HttpContext } from "../context.ts";
import { type ConnectedParts, DirectEvents, eventStream } from "../event-stream.ts";
import { anyJson } from "../answers/members.ts";
import { TRACED } from "../queue/submission-schema.ts";
import { JSON_TYPE, type Part, type Reply } from "../reply.ts";
import { ModelEvents } from "./model-events.ts";
import { ModelFailure } from "./model-failure.ts";
import { type OpenAiRequest, withOpenAiRequest } from "./openai-request.ts";
import { wholeAnswer } from "./whole-answer.ts";

const SUBMITTING = ["QUEUE_FULL", "STORAGE_FULL", "SHUTTING_DOWN"] as const;

const HEADERS = { "X-Request-Id": { description: "The id of the job.", schema: { type: "string" } } };

const OF_MODEL = anyJson("As the worker sent it.");

/**
 * Spec 4.A sentence 6 names only the path; the rest is ours (design, row 19; wire-facts part 4). Each call is
 * a job, which is cancelled if its caller disconnects. A streamed answer begins with its first event, any
 * other when the job ends. So errors of the model can set the status.
 */
const callModel = clientOperation({
  id: "openai",
  method: "POST",
  path: "/v2/{endpoint}/openai/{route}",
  access: "write",
  limit: "openai",
  tag: "openai",
  summary: "Call a model with the API of OpenAI",
  description:
    "The body becomes the job's input: `openai_route`, the path behind `/openai`, and `openai_input`. The " +
    "answer is what the worker makes of it, as JSON, or with `stream` as Server-Sent Events that leave as " +
    "the worker puts them out. An error of the model has its own status, and OpenAI's shape. When the " +
    "caller goes, the job is cancelled. A body has at most 20 MB.",
  headers: TRACED,
  body: {
    schema: z
      .looseObject({
        stream: z
          .boolean()
          .nullish()
          .meta({ description: "When true the answer comes as Server-Sent Events." }),
      })
      .meta({ id: "OpenAiRequest", description: "What the route takes: the worker gets it byte for byte." }),
    example: { model: "small", messages: [{ role: "user", content: "Hi" }] },
    isRequired: true,
  },
  answers: {
    200: {
      description: "What the worker answers.",
      json: {
        schema: OF_MODEL,
        example: {
          id: "chatcmpl-1",
          object: "chat.completion",
          created: 1_763_769_600,
          model: "small",
          choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
        },
      },
      mediaType: "text/event-stream",
      headers: HEADERS,
    },
  },
  errors: [...SUBMITTING, "PAYLOAD_DAMAGED"],
  handle: (context, call, { endpoint }) => answerOfModel(context, call, endpoint),
});

/** This too creates a job. */
const readModels = clientOperation({
  id: "openaiModels",
  method: "GET",
  path: "/v2/{endpoint}/openai/{route}",
  access: "write",
  limit: "openai",
  refusesHead: true,
  tag: "openai",
  summary: "List the models of a worker, or read one",
  description: "Of the paths below `/openai` those of models, such as `v1/models`.",
  headers: TRACED,
  passesOverBody: true,
  answers: {
    200: {
      description: "What the worker answers.",
      json: {
        schema: OF_MODEL,
        example: { object: "list", data: [{ id: "small", object: "model" }] },
      },
      headers: HEADERS,
    },
  },
  errors: ["METHOD_NOT_ALLOWED", "PAYLOAD_DAMAGED", ...SUBMITTING],
  handle: (context, call, { endpoint }) => answerOfModel(context, call, endpoint),
});

/** The OpenAI route (design, row 19). */
export const OPENAI_OPERATIONS = [readModels, callModel] as const;

async function answerOfModel(context: HttpContext, call: Call, endpoint: Endpoint): Promise<Reply> {
  const { engine } = context;
  const stored = await withOpenAiRequest(context, call, async (request) => {
    const { id } = await submitted(engine, endpoint, request);
    return { id, route: request.route, isStream: request.isStream };
  });
  const waiting: Waiting = { ...stored, endpoint: endpoint.id };
  const own = ownJob(
    engine,
    requestLog(engine.log, call.requestId),
    endpoint.id,
    stored.id,
    call.request.signal,
  );
  try {
    return stored.isStream
      ? await streamed(context, call, waiting, own)
      : await answered(context, call, waiting, own);
  } catch (error) {
    await own[Symbol.asyncDispose]();
    if (error instanceof ModelFailure) return failureReply(error, stored.id);
    throw error;
  }
}

/** A call whose job is stored. */
interface Waiting {
  readonly endpoint: string;
  readonly id: string;
  readonly route: string;
}

function submitted(engine: Engine, endpoint: Endpoint, { body }: OpenAiRequest): Promise<{ id: string }> {
  const nothing = { s3Config: undefined, webhook: undefined, idempotency: undefined };
  const kind = "runsync";
  return submit(engine, { endpoint: endpoint.id, kind, body, policy: {}, retention: 0, ...nothing });
}

async function answered(
  { engine, auth, answers }: HttpContext,
  call: Call,
  { endpoint, id }: Waiting,
  own: OwnJob,
): Promise<Reply> {
  using held = auth.held(call.request);
  // Its own deadlines end the job earlier.
  const until = engine.clock.now() + TTL.max;
  const job = await awaitEnd(engine, endpoint, id, until, held.signal);
  if (job === undefined) throw new ModelFailure(500, { message: "The job was removed by purge-queue." });
  if (!isTerminal(job.state)) throw stopping();
  own.settle();
  const room = new AnswerRoom(call, answers.clients);
  return await room.closeOnError(async () =>
    room.reply([await wholeAnswer(engine, room, job, held.signal)], headersOf(id)),
  );
}

async function streamed(
  { engine, auth, answers }: HttpContext,
  call: Call,
  { endpoint, id, route }: Waiting,
  own: OwnJob,
): Promise<Reply> {
  const silence = engine.durations.streamSilence;
  const room = new AnswerRoom(call, answers.clients);
  const log = requestLog(engine.log, call.requestId);
  const direct = new DirectEvents();

  async function* all(): AsyncGenerator<Part> {
    using held = auth.held(call.request);
    const { signal } = held;
    const place = { from: 0, attempt: undefined };
    const model = new ModelEvents({ engine, room, log, route });
    const onChunks = (update: StreamNews): boolean => direct.offer(() => model.ofSmall(update));
    yield* model.all(followStream(engine, { endpoint, id, place, silence, signal, onChunks }));
  }

  const events = all();
  // The runtime starts no body after the caller has disconnected, so nothing else would end the events.
  onAbort(call.request.signal, () => void events.return(undefined));
  const first = await room.closeOnError(() => events.next());
  // The caller has disconnected.
  if (first.done === true) throw stopping();

  async function* parts(begun: Part): ConnectedParts {
    try {
      direct.connect(yield begun);
      yield* events;
    } finally {
      // A job that has ended stays as it is.
      await own[Symbol.asyncDispose]();
    }
  }
  const reply = eventStream(call, silence, headersOf(id), () => parts(first.value));
  room.closeWhenAnswered();
  return reply;
}

/** The id of the job, in the header where clients of OpenAI expect the id of the request. */
function headersOf(id: string): Record<string, string> {
  return { [REQUEST_ID]: id };
}

/** Clients would retry a failed call twice. The queue has done its own retries, so they must not. */
function failureReply({ status, text }: ModelFailure, id: string): Reply {
  return { status, headers: { ...JSON_TYPE, ...headersOf(id), "x-should-retry": "false" }, body: text };
}

function stopping(): ForebayError {
  return new ForebayError("SHUTTING_DOWN", "The server is stopping. Try again in a moment.");
}
