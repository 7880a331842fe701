import { plainText } from "./parameters.ts";

/** W3C trace context of calls that make a job. What the standard does not allow is ignored. */
export const TRACED = {
  traceparent: plainText(
    "The trace that the job belongs to (W3C trace context): its worker gets it as `traceContext`, and its " +
      "webhook as headers.",
  ),
  tracestate: plainText("Goes with `traceparent`."),
} as const;
