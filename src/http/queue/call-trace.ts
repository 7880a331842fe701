import { type TraceContext, traceContext } from "../../domain/trace-context.ts";
import type { Call } from "../call.ts";

/** The trace that a call says it belongs to; undefined where it says none that the standard allows. */
export function callTrace({ request }: Pick<Call, "request">): TraceContext | undefined {
  const { headers } = request;
  return traceContext(headers.get("traceparent"), headers.get("tracestate"));
}
