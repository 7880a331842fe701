import { expect } from "bun:test";
import { AnswerGate } from "../support/answer-gate.ts";
import { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { admit, type Begun, ended, RESULT, type Token } from "./case.ts";
import { SDK_VERSIONS } from "./versions.ts";
import type { World } from "./world.ts";

const TOKENS: readonly Token[] = ["own", "shared"];

/** How long it may take until all workers have made a call at the same time, ms. */
const ALL_LIMIT = 120_000;

/** Keeps the answers to calls that match, until there are as many as expected. */
class HeldCalls {
  #pattern: RegExp | undefined;
  readonly #held: (() => void)[] = [];

  /** For the gate: false once the answer is dropped. */
  async judge(url: string, status: number): Promise<boolean> {
    if (status !== 200 || this.#pattern === undefined || !this.#pattern.test(url)) return true;
    await new Promise<void>((resolve) => this.#held.push(resolve));
    return false;
  }

  hold(pattern: RegExp): void {
    this.#pattern = pattern;
  }

  /** Resolves when `count` answers are held. */
  all(count: number): Promise<true> {
    return until(`${count} answers are held`, () => this.#held.length >= count, ALL_LIMIT);
  }

  drop(): void {
    this.#pattern = undefined;
    for (const release of this.#held.splice(0)) release();
  }
}

/**
 * One worker of each version and kind of token. The server is killed between the commit and the reply: first
 * that of the hand-out, then that of the result. Answers a job per worker.
 */
export async function killServer(
  world: World,
  onEnd: (name: string, version: string) => void,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const server = stack.adopt(await ServerProcess.start(), (started) => started.stop());
  const calls = new HeldCalls();
  const gate = stack.adopt(
    await AnswerGate.start(server.url, ({ url, status }) => calls.judge(url, status)),
    (started) => started.stop(),
  );
  calls.hold(/\/job-take\//);
  const settings = SDK_VERSIONS.flatMap((version) => TOKENS.map((token) => ({ version, token })));
  const begun: Begun[] = await Promise.all(
    settings.map(async ({ version, token }) => {
      const endpoint = await server.endpoint();
      const env = await admit(server, endpoint, token, gate.url);
      const worker = await world.host(version).start({ form: "sync", env });
      return { endpoint, worker, id: await server.run(endpoint, { seconds: 3 }) };
    }),
  );
  await killBeforeReply(server, calls, settings.length);
  calls.hold(/\/job-done\//);
  await killBeforeReply(server, calls, settings.length);
  for (const [index, { endpoint, worker, id }] of begun.entries()) {
    const record = await ended(server, endpoint, id);
    expect(record).toMatchObject({ status: "COMPLETED", output: RESULT });
    expect(worker.executions(id)).toBe(1);
    worker.kill();
    const { version, token } = settings[index] ?? {};
    onEnd(`server killed before its replies (${token})`, version?.version ?? "");
  }
}

async function killBeforeReply(server: ServerProcess, calls: HeldCalls, count: number): Promise<void> {
  await calls.all(count);
  await server.kill();
  calls.drop();
  await server.startAgain();
}
