import { WAIT } from "../../domain/policy.ts";
import { readStream, type StreamRead, unread } from "../../engine/read-stream.ts";
import { payloadReply } from "../answer-room.ts";
import type { Call } from "../call.ts";
import { clientRoute } from "../client-route.ts";
import type { HttpContext } from "../context.ts";
import { wantsEvents } from "../event-stream.ts";
import { chunkPart } from "../present/payload-part.ts";
import { parseQuery } from "../query.ts";
import type { Part, Reply } from "../reply.ts";
import type { Route } from "../route.ts";
import { liveStream, MAX_FROM } from "./live-stream.ts";

/**
 * Spec 4.A, stream. The spec answers a bare array of chunks, so its reader learns the state from a header;
 * the public SDKs need both in one object (design, row 1).
 */
export function streamRoute(context: HttpContext): Route {
  const { engine } = context;
  return clientRoute(context, {
    operation: "stream",
    methods: ["GET", "POST"],
    path: "/v2/{endpoint}/stream/{job}",
    async handle(call, endpoint) {
      const [, id = ""] = call.parameters;
      if (wantsEvents(call)) return liveStream(context, call, endpoint.id, id);
      const query = parseQuery(call.query);
      const hold = query.duration("wait", WAIT) ?? engine.durations.streamHold;
      const from = query.integer("from", 0, MAX_FROM);
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

/**
 * Readers leave at the first final state, so it comes with the last chunks and never before them (race R16).
 */
function shownState({ job, isLast }: StreamRead): string {
  return job.endedAt !== undefined && !isLast ? "IN_PROGRESS" : job.state;
}
