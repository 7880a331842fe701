/** The trace of a call: W3C trace context, https://www.w3.org/TR/trace-context-2/ */
export interface TraceContext {
  /** In the form of version 00. */
  readonly traceparent: string;
  /** As the caller sent it; undefined if it is missing, or the standard cannot parse it. */
  readonly tracestate?: string | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;

/** The flags of this version of the standard: sampled, and random trace id. */
const KNOWN_FLAGS = 0b11;

/**
 * The trace in two headers; undefined if `traceparent` is missing or invalid: the call is accepted all the
 * same. A header that was sent twice has a comma, and is invalid.
 */
export function traceContext(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  const match = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
  const [, version = "ff", traceId = "", parentId = "", flagText = "", more] = match ?? [];
  // Later versions may have more members after these. The first version has none.
  if (version === "ff" || (version === "00" && more !== undefined)) return undefined;
  if (NOTHING.test(traceId) || NOTHING.test(parentId)) return undefined;
  const flags = (Number.parseInt(flagText, 16) & KNOWN_FLAGS).toString(16).padStart(2, "0");
  const parent = `00-${traceId}-${parentId}-${flags}`;
  return isTraceState(tracestate) ? { traceparent: parent, tracestate } : { traceparent: parent };
}

const MAX_MEMBERS = 32;
const STATE_MEMBER = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

function isTraceState(value: unknown): value is string {
  if (typeof value !== "string") return false;
  const members = value.split(",").map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ""));
  const given = members.filter((member) => member !== "");
  const keys = new Set(given.map((member) => member.slice(0, member.indexOf("="))));
  const isListed = given.length > 0 && given.length <= MAX_MEMBERS && keys.size === given.length;
  return isListed && given.every((member) => STATE_MEMBER.test(member));
}
