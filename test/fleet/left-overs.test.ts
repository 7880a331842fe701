import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readBudget } from "../../src/fleet/logs/output-limits.ts";
import { endLeftOvers } from "../../src/fleet/process/left-overs.ts";
import { parseMark } from "../../src/fleet/process/process-mark.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { killIfThere } from "../support/processes.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";

const COMMANDS = new Map([
  ["wait", ["sleep", "1000"]],
  // As programs do that write their title where their environment was.
  ["nameless", ["env", "-i", "sleep", "1000"]],
]);

describe("the right to kill what a server left behind", () => {
  const boot = thisMachine.uptime()?.boot;
  let root: string;
  let workers: string;
  let worker: string;
  let provider: Provider;
  let log: MemoryLog;
  let pid: number;

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "forebay-left-overs-"));
    workers = join(root, "data", "workers");
    worker = `w-${crypto.randomUUID()}`;
    log = new MemoryLog();
    const clock = systemClock();
    provider = await openProcessProvider({
      directory: workers,
      commands: COMMANDS,
      operatorEnvironment: process.env,
      boot,
      output: new MemoryOutput(readBudget(clock)),
      clock,
      log,
    });
  });
  afterEach(async () => {
    await provider.stop(worker, 0);
    killIfThere(pid);
    rmSync(root, { recursive: true, force: true });
  });

  const started = async (command = "wait"): Promise<void> => {
    await provider.start({
      worker,
      endpoint: "e",
      template: templateOf(`process/${command}`),
      environment: { RUNPOD_POD_ID: worker },
    });
    const mark = await until("it has its mark", () =>
      readdirSync(join(workers, worker))
        .map(parseMark)
        .find((each) => each !== undefined),
    );
    ({ pid } = mark);
  };
  const isRunning = async (): Promise<boolean> => (await provider.list()).length > 0;
  const ended = () => until("it ended", async () => !(await isRunning()));
  const endIn = (directory: string, on = boot) =>
    endLeftOvers({ directory, boot: on, clock: systemClock(), log });

  test("is that of the directory in which it was started", async () => {
    await started();
    await endIn(workers);
    await ended();
  });

  test("goes with the directory when it is moved", async () => {
    await started();
    renameSync(join(root, "data"), join(root, "moved"));
    await endIn(join(root, "moved/workers"));
    await ended();
  });

  test("is not that of a copy, which only clears away what it has copied", async () => {
    await started();
    cpSync(join(root, "data"), join(root, "copy"), { recursive: true, preserveTimestamps: true });
    const copied = join(root, "copy/workers");
    // The second start knows the directory as its own.
    for (const _ of [1, 2]) {
      await endIn(copied);
      expect(readdirSync(copied)).toEqual([]);
    }
    expect(await isRunning()).toBe(true);
    expect(log.entries).toEqual([]);
  });

  test("is over with a reboot", async () => {
    await started();
    await endIn(workers, crypto.randomUUID());
    expect(await isRunning()).toBe(true);
    expect(readdirSync(workers)).toEqual([]);
  });

  test("reaches a process that has no environment any more", async () => {
    await started("nameless");
    await endIn(workers);
    await ended();
  });

  /** A process of somebody else, of which the directory of the worker says what `name` makes of its mark. */
  const stranger = async (name: (mark: string) => string, env = process.env): Promise<ChildProcess> => {
    await started();
    const names = readdirSync(join(workers, worker));
    const mark = names.map(parseMark).find((each) => each !== undefined);
    await provider.stop(worker, 0);
    const child = spawn("sleep", ["1000"], { detached: true, env });
    pid = child.pid ?? 0;
    mkdirSync(join(workers, worker), { recursive: true });
    writeFileSync(join(workers, worker, name(`pid.${mark?.place}.${pid}`)), "");
    return child;
  };
  const expectAlive = (child: ChildProcess): void => {
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    expect(process.kill(child.pid ?? 0, 0)).toBe(true);
  };

  test("is none over a process that has the same id, and was started at another time", async () => {
    const child = await stranger((mark) => `${mark}.1`);
    await endIn(workers);
    expectAlive(child);
  });

  test("is none over a process with the worker's environment that was there before it", async () => {
    const env = { ...process.env, RUNPOD_POD_ID: worker };
    const child = await stranger((mark) => `${mark}.${Number.MAX_SAFE_INTEGER}`, env);
    await endIn(workers);
    expectAlive(child);
  });

  test("is not known where the mark is one of version 0.1: the log names the process", async () => {
    const env = { ...process.env, RUNPOD_POD_ID: worker };
    const child = await stranger(() => `pid-${pid}`, env);
    await endIn(workers);
    expectAlive(child);
    expect(log.entries).toMatchObject([{ level: "warn", fields: { worker, pid } }]);
  });
});
