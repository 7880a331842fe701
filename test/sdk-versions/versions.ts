import type { Environment } from "../support/python.ts";

/** A version of the public worker SDK, and how it differs in what the cases look at. */
export interface SdkVersion {
  readonly version: string;
  readonly environment: Environment;
  /** Where the pings come from: a thread stops while a handler holds the interpreter's lock. */
  readonly pings: "thread" | "process";
}

export const SDK_VERSIONS: readonly SdkVersion[] = [
  { version: "1.6.2", environment: "runpod 1.6.2", pings: "thread" },
  { version: "1.7.7", environment: "runpod 1.7.7", pings: "thread" },
  { version: "1.7.13", environment: "runpod 1.7.13", pings: "process" },
  { version: "1.12.0", environment: "runpod", pings: "process" },
  { version: "2.0.0rc2", environment: "runpod 2.0.0rc2", pings: "process" },
];
