import { afterEach, beforeEach } from "bun:test";
import { ManualClock } from "./manual-clock.ts";
import { TestServer } from "./test-server.ts";
import type { TestWorker } from "./test-worker.ts";

/** What each test of a group has for itself. */
export interface Fresh {
  readonly server: TestServer;
  readonly endpoint: string;
  /** The time of a server that stands still. */
  readonly clock: ManualClock;
}

export interface FreshWorker extends Fresh {
  /** It speaks the public protocol. */
  readonly worker: TestWorker;
}

export interface FreshOptions {
  /** Flags of `forebay serve`, without their dashes. */
  readonly flags?: Record<string, string>;
  /** Time stands still except for `clock`, and no background job runs by itself. */
  readonly isStill?: boolean;
  /** Ends what the test has started, before the server stops. */
  readonly end?: () => unknown;
}

/** Starts a server with one endpoint before each test of the enclosing group, and stops it after the test. */
export function freshServer(give: (fresh: Fresh) => unknown, options: FreshOptions = {}): void {
  const { flags = {}, isStill = false, end } = options;
  let server: TestServer;
  beforeEach(async () => {
    const clock = new ManualClock();
    server = await TestServer.start(isStill ? { flags, clock } : { flags });
    await give({ server, endpoint: await server.endpoint(), clock });
  });
  afterEach(async () => {
    await end?.();
    await server.stop();
  });
}

/** The same, with one worker on the endpoint. */
export function freshWorker(give: (fresh: FreshWorker) => unknown, options: FreshOptions = {}): void {
  freshServer(async (fresh) => {
    await give({ ...fresh, worker: await fresh.server.worker(fresh.endpoint) });
  }, options);
}
