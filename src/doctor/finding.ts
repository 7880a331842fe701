/** The result of one check: one line for people, one record for programs. */
export interface Finding {
  readonly part: Part;
  readonly state: "ok" | "warn" | "fault";
  /** What was found. It never contains a secret. */
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string;
}

export type Part =
  | "configuration"
  | "data"
  | "keys"
  | "store"
  | "payloads"
  | "clock"
  | "providers"
  | "gpus"
  | "port"
  | "limits"
  | "versions"
  | "server"
  | "workers";

export function ok(part: Part, says: string): Finding {
  return { part, state: "ok", says };
}

export function warn(part: Part, says: string, mend: string): Finding {
  return { part, state: "warn", says, mend };
}

export function fault(part: Part, says: string, mend: string): Finding {
  return { part, state: "fault", says, mend };
}

/** What was thrown, as a sentence. */
export function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
