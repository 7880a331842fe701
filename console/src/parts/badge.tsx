const TONES: Readonly<Record<string, string>> = {
  COMPLETED: "good",
  COMPLETE: "good",
  DELIVERED: "good",
  RUNNING: "good",
  READY: "good",
  IDLE: "",
  FREE: "",
  ALLOCATED: "busy",
  IN_PROGRESS: "busy",
  ROLLING: "busy",
  STARTING: "busy",
  INITIALIZING: "busy",
  PENDING: "busy",
  LOST: "bad",
  UNDELIVERED: "warn",
  RETURNED: "warn",
  IN_QUEUE: "warn",
  AT_MAXIMUM: "warn",
  NO_ROOM: "warn",
  PAUSED: "warn",
  OUTDATED: "warn",
  DRAINING: "warn",
  CANCELLED: "",
  REPLACED: "",
  FAILED: "bad",
  TIMED_OUT: "bad",
  STOPPED: "bad",
  UNHEALTHY: "bad",
  CRASH_LOOP: "bad",
  OUT_OF_USE: "bad",
  AWAY: "bad",
};

/** A state of the API. Its colour says whether it is good, and its text always says what it is. */
export function Badge({ state }: { state: string }) {
  return <span class={`badge ${TONES[state] ?? ""}`}>{state.toLowerCase().replaceAll("_", " ")}</span>;
}
