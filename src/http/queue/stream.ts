import { JOB_STATES } from "../../domain/transitions.ts";
import { readStream, type StreamRead, unread } from "../../engine/read-stream.ts";
import { payloadReply } from "../answer-room.ts";
import type { Call } from "../call.ts";
import { clientOperation } from "../client-operation.ts";
import type { HttpContext } from "../context.ts";
import { wantsEvents } from "../event-stream.ts";
import { STREAM } from "../answers/job.ts";
import type { AnswerHeader } from "../operation.ts";
import { choice, integer, type Parameter, wait } from "../parameters.ts";
import { chunkPart } from "../present/payload-part.ts";
import type { Part, Reply } from "../reply.ts";
import { liveStream, MAX_FROM } from "./live-stream.ts";

/**
 * Spec 4.A, stream. The spec answers a bare array of chunks, so the state is in a header. The public SDKs
 * need both in one object (design, row 1).
 */
export const stream = clientOperation({
  id: "stream",
  method: "GET",
  path: "/v2/{endpoint}/stream/{job}",
  access: "read",
  limit: "stream",
  // A plain read consumes chunks.
  refusesHead: true,
  tag: "jobs",
  summary: "Read the output of a job while it runs",
  description:
    "A plain read answers the chunks that no plain read has had, and waits for one when there is none. " +
    "A final state comes with the last chunks. With `Accept: text/event-stream` the chunks are pushed as " +
    "they are stored, and none is consumed: each is an event whose id is its number, and the last event, " +
    "`end`, tells the final state. `Last-Event-ID` goes on behind an event; behind `end` the answer is 204.",
  query: {
    wait: wait("5000"),
    from: integer(0, MAX_FROM, "Reads from this chunk on, and consumes nothing."),
  },
  answers: {
    200: {
      description: "The chunks.",
      json: STREAM,
      mediaType: "text/event-stream",
      headers: {
        "X-Job-Status": ofPlainRead(choice(JOB_STATES, "The state of the job.")),
        "X-Next-Chunk": ofPlainRead(integer(0, Number.MAX_SAFE_INTEGER, "The number of the next chunk.")),
        "X-Attempt": ofPlainRead(integer(0, Number.MAX_SAFE_INTEGER, "The hand-out whose chunks they are.")),
      },
    },
    204: { description: "The event before was the last one." },
  },
  async handle(context, call, { endpoint, query }) {
    const { engine } = context;
    const [, id = ""] = call.parameters;
    if (wantsEvents(call)) return liveStream(context, call, endpoint.id, id);
    const { wait: hold = engine.durations.streamHold, from } = query();
    using held = context.auth.held(call.request);
    const { signal } = held;
    const read = await readStream(engine, { endpoint: endpoint.id, id, from, hold, signal });
    try {
      return await reply(context, call, id, read);
    } catch (error) {
      if (from === undefined) await unread(engine, { endpoint: endpoint.id, id }, read);
      throw error;
    }
  },
});

/** Also as POST, because one public SDK posts. */
export const streamByPost = {
  ...stream,
  id: "streamByPost",
  method: "POST",
  summary: "Read the output of a job while it runs, by POST",
} as const;

function ofPlainRead({ description, schema }: Parameter): AnswerHeader {
  return { description, schema, isOfJsonAlone: true };
}

function reply(context: HttpContext, call: Call, id: string, read: StreamRead): Promise<Reply> {
  return payloadReply(call, context.answers.clients, read.chunks, () => chunkParts(context, call, id, read), {
    "x-job-status": shownState(read),
    "x-next-chunk": String(read.next),
    "x-attempt": String(read.job.attempt),
  });
}

async function chunkParts(
  { engine }: HttpContext,
  call: Call,
  id: string,
  read: StreamRead,
): Promise<readonly Part[]> {
  const state = shownState(read);
  const parts: Part[] = [call.dialect === "sdk" ? `{"id":"${id}","status":"${state}","stream":[` : "["];
  for (const [index, chunk] of read.chunks.entries()) {
    if (index > 0) parts.push(",");
    parts.push(await chunkPart(engine, chunk, read.next - read.chunks.length + index));
  }
  parts.push(call.dialect === "sdk" ? "]}" : "]");
  return parts;
}

/** Readers stop at the first final state, so it comes with the last chunks and not before them (race R16). */
function shownState({ job, isLast }: StreamRead): string {
  return job.endedAt !== undefined && !isLast ? "IN_PROGRESS" : job.state;
}
