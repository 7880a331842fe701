import type { ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { TestClient } from "./test-client.ts";
import { until } from "./until.ts";

/** How long a start may take in an emulator, ms. */
const READY_LIMIT = 40_000;

/** A server that was started somehow, with the admin key of the tests. */
export class RunningForebay extends TestClient implements AsyncDisposable {
  readonly #exit: Promise<number | null>;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  #printed = "";
  #url = "";

  constructor(child: ChildProcessByStdio<null, Readable, Readable>) {
    super();
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (piece: string) => (this.#printed += piece));
    }
    this.#exit = new Promise((resolve) => child.on("close", resolve));
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it has printed its address. */
  async ready(): Promise<void> {
    this.#url = await until(
      "the server was ready",
      () => {
        if (this.#child.exitCode !== null) throw new Error(`the server ended: ${this.#printed}`);
        return /ready on (\S+)$/m.exec(this.#printed)?.[1];
      },
      READY_LIMIT,
    );
  }

  /** Tells it to stop; the answer is its exit code. */
  stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    return this.#exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#exit;
  }
}
