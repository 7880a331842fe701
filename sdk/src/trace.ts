import { randomBytes } from "node:crypto";

/** A span of W3C trace context: https://www.w3.org/TR/trace-context/ */
export interface JobTrace {
  /** 32 hexadecimal digits, the same in the whole trace. */
  readonly traceId: string;
  /** 16 hexadecimal digits: this job's span. */
  readonly spanId: string;
  /** The span that submitted the job. */
  readonly parentSpanId: string;
  readonly isSampled: boolean;
  /** The headers of a call in this span: `traceparent`, and `tracestate` if there is one. */
  readonly headers: { readonly traceparent: string; readonly tracestate?: string };
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;

/** The flags that this version of the standard knows: sampled, and random trace id. */
const KNOWN_FLAGS = 0b11;
const SAMPLED = 0b01;

/**
 * The span of a job. It comes from the members `traceparent` and `tracestate` of the submission, or from the
 * headers of these names; undefined if they are missing or invalid.
 */
export function traceOf(job: Members & { readonly traceContext?: Members }): JobTrace | undefined {
  return spanIn(job) ?? spanIn(job.traceContext);
}

type Members = { readonly [member: string]: unknown };

function spanIn(given: Members | undefined): JobTrace | undefined {
  // A client's own member of that name can have any value.
  const { traceparent, tracestate } = given ?? {};
  const match = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
  const [, version = "ff", traceId = "", parentSpanId = "", flagText = "", more] = match ?? [];
  // Later versions of the standard may have more parts. The first one has exactly these.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(parentSpanId)) return undefined;
  const flags = Number.parseInt(flagText, 16) & KNOWN_FLAGS;
  const spanId = newSpanId();
  const parent = `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;
  const state = isTraceState(tracestate) ? { tracestate } : {};
  const headers = { traceparent: parent, ...state };
  return { traceId, spanId, parentSpanId, isSampled: (flags & SAMPLED) !== 0, headers };
}

function newSpanId(): string {
  const id = randomBytes(8).toString("hex");
  return NOTHING.test(id) ? newSpanId() : id;
}

const MAX_MEMBERS = 32;
const STATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/** An invalid tracestate is not passed on, but the trace is. */
function isTraceState(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const members = value.split(",").map((member) => member.trim());
  const given = members.filter((member) => member !== "");
  const keys = new Set(given.map((member) => member.slice(0, member.indexOf("="))));
  const isListed = given.length > 0 && given.length <= MAX_MEMBERS && keys.size === given.length;
  return isListed && given.every((member) => STATE_MEMBER.test(member));
}
