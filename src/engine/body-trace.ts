import { type TraceContext, traceContext } from "../domain/trace-context.ts";

/** The member with the trace of the submission, in what a worker gets. */
export const TRACE_MEMBER = "traceContext";

const OPENING = `{"${TRACE_MEMBER}":`;

/** The body of a submission, an object with a member at least, with the trace before all others. */
export function withTrace(body: Uint8Array, trace: TraceContext | undefined): Uint8Array {
  if (trace === undefined) return body;
  return Buffer.concat([Buffer.from(`${OPENING}${JSON.stringify(trace)},`), body.subarray(1)]);
}

/** 32 members of a tracestate, and what stands around them. */
const LONGEST = 20_000;

/**
 * The trace that `withTrace` has put before a body; nothing after it is read. A member of the client that is
 * there and looks the same counts too.
 */
export function traceIn(body: Uint8Array): TraceContext | undefined {
  const text = new TextDecoder().decode(body.subarray(0, LONGEST));
  if (!text.startsWith(OPENING)) return undefined;
  const [member] = WRITTEN.exec(text.slice(OPENING.length)) ?? [];
  if (member === undefined) return undefined;
  const { traceparent, tracestate }: Record<string, unknown> = JSON.parse(member);
  return traceContext(traceparent, tracestate);
}

/** As `withTrace` has written it; all other characters of these headers stand for themselves in JSON. */
const WRITTEN = /^\{"traceparent":"[0-9a-f-]+"(?:,"tracestate":"(?:[^"\\]|\\["\\t])*")?\}/;
