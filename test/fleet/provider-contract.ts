import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Template } from "../../src/domain/template.ts";
import { type Provider, StartFault, type WorkerExit, type WorkerOrder } from "../../src/fleet/provider.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";

/** What workers do, as lines for a shell, by the names under which `Opened.runs` calls for them. */
export const SCRIPTS = {
  tell: 'echo "A=$A B=$B"',
  fail: "echo one; echo two >&2; exit 7",
  many: "i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo $i; done; exit 1",
  wait: 'trap "exit 5" TERM; echo waiting; while :; do sleep 0.1; done',
  deaf: 'trap "" TERM; echo waiting; while :; do sleep 0.1; done',
  count: "i=0; while :; do i=$((i+1)); echo $i; sleep 0.01; done",
  token: "echo token fbw_0123456789abcdefghij; echo fbk_0123456789abcdef_x >&2; exit 1",
  litter: 'ls -a; echo "found $(ls | grep -c litter)"; touch litter; exit 2',
} as const;

export type Script = keyof typeof SCRIPTS;

export interface ContractProvider {
  provider: Provider;
  /** The members of a template whose worker runs the script; of one that cannot be started. */
  runs(script: Script | "absent"): Partial<Template>;
  /** The provider of the next server, as after a kill of this one. */
  reopen(): Promise<Provider>;
  /** Whether it is known to read on what workers print where an earlier server stopped. */
  readsOn: boolean;
  /** Ends all of it. */
  close(): Promise<void>;
}

/** What every provider promises (src/fleet/provider.ts). */
export function providerContract(
  name: string,
  open: (log: MemoryLog, output: MemoryOutput) => Promise<ContractProvider>,
): void {
  describe(`a provider, ${name}`, () => {
    let log: MemoryLog;
    let output: MemoryOutput;
    let exits: WorkerExit[];
    let opened: ContractProvider;
    let provider: Provider;
    beforeEach(async () => {
      log = new MemoryLog();
      exits = [];
      output = new MemoryOutput();
      opened = await open(log, output);
      watch(opened.provider);
    });
    afterEach(async () => {
      for (const worker of await provider.list()) await provider.stop(worker, 0);
      expect(await provider.list()).toEqual([]);
      await provider.close();
      await opened.close();
      expect(log.errors).toEqual([]);
    });

    function watch(next: Provider): void {
      provider = next;
      provider.onExit((exit) => exits.push(exit));
    }

    const fresh = (): string => `w${crypto.randomUUID()}`;
    function order(worker: string, script: Script | "absent", more: Partial<WorkerOrder> = {}): WorkerOrder {
      const template = templateOf("", opened.runs(script));
      return { worker, endpoint: "e", template, environment: { RUNPOD_POD_ID: worker }, ...more };
    }
    const start = async (script: Script): Promise<string> => {
      const worker = fresh();
      await provider.start(order(worker, script));
      return worker;
    };
    const waiting = async (script: "wait" | "deaf"): Promise<string> => {
      const worker = await start(script);
      await until("it waits", () => printed(worker).includes("waiting"));
      return worker;
    };
    const printed = (worker: string): string[] => output.printed(worker);
    const ended = (worker: string) => until("it ended", () => exits.find((exit) => exit.worker === worker));

    test("a worker has the template's environment, and the server's before that", async () => {
      const worker = fresh();
      const wanted = order(worker, "tell", { environment: { RUNPOD_POD_ID: worker, B: "server" } });
      await provider.start({
        ...wanted,
        template: { ...wanted.template, env: { A: "é $x\n1", B: "author" } },
      });
      await ended(worker);
      await until("it is read", () => printed(worker).join("\n") === "A=é $x\n1 B=server");
    });

    test("an end is reported once, with its code and the last lines of both streams", async () => {
      const worker = await start("fail");
      const { how, lastLines } = await ended(worker);
      expect([how, lastLines.toSorted()]).toEqual(["exit code 7", ["one", "two"]]);
      await until("nothing of it is there", async () => (await provider.list()).length === 0);
      expect(printed(worker).toSorted()).toEqual(["one", "two"]);
      const long = await start("many");
      expect((await ended(long)).lastLines).toEqual(Array.from({ length: 20 }, (_, line) => `${line + 31}`));
      expect(exits.map(({ worker }) => worker)).toEqual([worker, long]);
    });

    test("workers are listed until they have ended, and named by their ids", async () => {
      const workers = [await start("wait"), await start("wait")];
      expect((await provider.list()).toSorted()).toEqual(workers.toSorted());
      await Promise.all(workers.map((worker) => provider.stop(worker, 60_000)));
      expect(await provider.list()).toEqual([]);
    });

    test("a stop is SIGTERM, and resolves when nothing is left", async () => {
      const worker = await waiting("wait");
      await provider.stop(worker, 60_000);
      expect(exits).toEqual([{ worker, how: "exit code 5", lastLines: ["waiting"] }]);
      await provider.stop(worker, 60_000);
      await provider.stop("never-was", 60_000);
      expect(exits.length).toBe(1);
    });

    test("a worker that is deaf is killed when its grace is over, at once without one", async () => {
      for (const grace of [300, 0]) {
        const worker = await waiting("deaf");
        const startedAt = performance.now();
        await provider.stop(worker, grace);
        expect(performance.now() - startedAt).toBeGreaterThanOrEqual(grace);
        expect(await ended(worker)).toEqual({ worker, how: "signal SIGKILL", lastLines: ["waiting"] });
      }
    });

    test("a second stop can shorten the grace, and both wait for the end", async () => {
      const worker = await waiting("deaf");
      const first = provider.stop(worker, 60_000);
      await provider.stop(worker, 0);
      await first;
      expect(exits.length).toBe(1);
    });

    test("every start finds a fresh disk", async () => {
      for (let round = 0; round < 2; round++) {
        const { how, lastLines } = await ended(await start("litter"));
        expect([how, lastLines.at(-1)]).toEqual(["exit code 2", "found 0"]);
      }
    });

    test("what cannot be started is a StartFault, and leaves nothing", async () => {
      await expect(provider.start(order(fresh(), "absent"))).rejects.toThrow(StartFault);
      expect(await provider.list()).toEqual([]);
      expect(exits).toEqual([]);
    });

    test("a worker that is stopped while it starts is left neither running nor half made", async () => {
      const worker = fresh();
      const started = provider.start(order(worker, "wait")).catch((error: unknown) => {
        expect(error).toBeInstanceOf(StartFault);
      });
      await provider.stop(worker, 0);
      await started;
      expect(await provider.list()).toEqual([]);
    });

    test("ten workers at once: each starts, each end is reported", async () => {
      const workers = await Promise.all(Array.from({ length: 10 }, () => start("fail")));
      await until("all ends are told", () => exits.length === 10);
      expect(exits.map(({ worker }) => worker).toSorted()).toEqual(workers.toSorted());
    });

    test("the next server finds the workers of a killed one if they outlive it, and else none", async () => {
      const worker = await waiting("wait");
      const killed = provider;
      watch(await opened.reopen());
      const found = await provider.list();
      expect(found).toEqual(provider.outlivesServer ? [worker] : []);
      await killed.close();
      if (!provider.outlivesServer) return;
      await provider.stop(worker, 60_000);
      expect(exits.at(-1)).toEqual({ worker, how: "exit code 5", lastLines: ["waiting"] });
    });

    test("each line is passed on once, over a restart of a server that workers outlive too", async () => {
      const worker = await start("count");
      const has = (line: number) => until(`it printed ${line}`, () => printed(worker).includes(`${line}`));
      await has(20);
      await provider.close();
      if (opened.readsOn) {
        const before = printed(worker).length;
        watch(await opened.reopen());
        await provider.list();
        await has(before + 20);
      }
      await provider.stop(worker, 0);
      const lines = printed(worker);
      expect(lines).toEqual(lines.map((_, index) => `${index + 1}`));
      await until("its end is told", () => output.ended.includes(worker));
    });

    test("no token of a worker and no key is passed on", async () => {
      const worker = await start("token");
      const { lastLines } = await ended(worker);
      await until("both lines are read", () => printed(worker).length === 2);
      const masked = ["fbk_***", "token fbw_***"];
      expect([printed(worker).toSorted(), lastLines.toSorted()]).toEqual([masked, masked]);
    });

    test("what is kept for an endpoint can be forgotten, and is then gone", async () => {
      const worker = await waiting("wait");
      const kept = await provider.kept();
      expect(["[]", '["e"]']).toContain(JSON.stringify(kept));
      await provider.forget("e");
      // While a worker has it nothing goes.
      expect(await provider.kept()).toEqual(kept);
      await provider.stop(worker, 0);
      await provider.forget("e");
      await provider.forget("never-was");
      expect(await provider.kept()).toEqual([]);
    });
  });
}
