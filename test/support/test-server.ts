import { expect } from "bun:test";
import { loadConfig } from "../../src/config/config.ts";
import { type Forebay, startForebay } from "../../src/main.ts";
import type { ManualClock } from "./manual-clock.ts";
import { MemoryLog } from "./memory-log.ts";
import { TEST_KEY, TestClient } from "./test-client.ts";

export interface TestServerOptions {
  /** Flags of `forebay serve`, without their dashes. */
  readonly flags?: Record<string, string>;
  /** Time stands still but for the test, and no background job runs by itself. */
  readonly clock?: ManualClock;
}

/** A whole server on a free port, its data in memory unless `flags.data` says otherwise. */
export class TestServer extends TestClient {
  readonly forebay: Forebay;
  readonly log: MemoryLog;

  private constructor(forebay: Forebay, log: MemoryLog) {
    super();
    this.forebay = forebay;
    this.log = log;
  }

  static async start({ flags, clock }: TestServerOptions = {}): Promise<TestServer> {
    const log = new MemoryLog();
    const config = loadConfig(
      { port: "0", data: ":memory:", demo: "false", "admin-key": TEST_KEY, ...flags },
      {},
    );
    return new TestServer(await startForebay(config, log, clock), log);
  }

  /** Stops the server, and fails the test if anything went wrong unseen. */
  async stop(): Promise<void> {
    await this.forebay.stop();
    expect(this.log.errors).toEqual([]);
  }

  get url(): string {
    return this.forebay.url;
  }
}
