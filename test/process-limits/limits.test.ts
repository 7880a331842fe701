import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftOvers } from "../../src/fleet/process/left-overs.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import { limitProcesses } from "../../src/fleet/process/worker-cgroup.ts";
import type { Provider, WorkerExit } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";

const GROUPS = "/sys/fs/cgroup";
/** What this Linux does takes a few times as long as elsewhere, ms. */
const LIMIT = 60_000;

const LIMITS = { memoryMb: 64, cpus: 2, pids: 20 };

/** Has 200 MB of memory that nobody can swap. */
const GREEDY = "head -c 200000000 /dev/zero | tail -c 200000000 >/dev/null";

const COMMANDS = new Map(
  Object.entries({
    // The first words of a worker, before which nothing of it has run.
    look: `cd ${GROUPS}$(sed s/^0::// /proc/self/cgroup); cat memory.max cpu.max pids.max; sleep 1000`,
    greedy: `${GREEDY}; echo survived`,
    "greedy child": `sh -c '${GREEDY}'; echo survived; sleep 1000`,
    prolific: "for one in $(seq 40); do sleep 1000 & done; echo survived; wait",
    daemon: "setsid env -i sleep 1000 >/dev/null 2>&1 & echo waiting; exec sleep 1000",
  }).map(([name, script]) => [name, ["sh", "-c", script]]),
);

describe("the limits of process workers on cgroup v2", () => {
  let root: string;
  let provider: Provider;
  let output: MemoryOutput;
  let exits: WorkerExit[];
  let log: MemoryLog;
  let worker: string;
  const directory = (): string => join(root, "data/workers");
  const boot = thisMachine.uptime()?.boot;

  async function open(): Promise<Provider> {
    const opened = await openProcessProvider({
      directory: directory(),
      commands: COMMANDS,
      operatorEnvironment: process.env,
      limited: await limitProcesses(LIMITS),
      boot,
      output,
      clock: systemClock(),
      log,
    });
    opened.onExit((exit) => exits.push(exit));
    return opened;
  }
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "forebay-limits-"));
    worker = `w-${crypto.randomUUID()}`;
    [output, exits, log] = [new MemoryOutput(), [], new MemoryLog()];
    provider = await open();
  });
  afterEach(async () => {
    await provider.stop(worker, 0);
    await until("its directory is gone", () => readdirSync(directory()).length === 0);
    rmSync(root, { recursive: true });
    expect(log.errors).toEqual([]);
    expect(groups()).toEqual([]);
  });

  const groups = (): string[] => readdirSync(GROUPS).filter((name) => name.startsWith("forebay-w-"));
  const group = (file: string): string =>
    readFileSync(join(GROUPS, `forebay-${worker}`, file), "utf8").trim();
  const processes = (): string[] => group("cgroup.procs").split("\n");
  const start = (command: string, cores?: number) =>
    provider.start({
      worker,
      endpoint: "e",
      template: templateOf(`process/${command}`),
      environment: {},
      cores,
    });
  const printed = (line: string) => until(line, () => output.printed(worker).includes(line));
  const ended = () => until("it ended", () => exits[0], LIMIT);

  test("hold before the program begins", async () => {
    await start("look");
    await until("it has looked", () => output.printed(worker).length === 3);
    expect(output.printed(worker)).toEqual([String(64 * 1_048_576), "200000 100000", "20"]);
    expect(group("memory.oom.group")).toBe("1");
  });

  test("of cores can be lower for an endpoint, and never higher", async () => {
    await start("look", 1);
    await until("it has looked", () => output.printed(worker).length === 3);
    expect(output.printed(worker)[1]).toBe("100000 100000");
  });

  test.each(["greedy", "greedy child"])(
    "of memory end the whole worker, and its exit says so: %s",
    async (command) => {
      await start(command);
      expect((await ended()).how).toBe("out of memory: used its limit of 64 MB");
      expect(output.printed(worker)).toEqual([]);
    },
  );

  test("of processes stop a worker from starting more", async () => {
    await start("prolific");
    await ended();
    expect((await ended()).how).toBe("exit code 2");
    expect(output.printed(worker).join("\n")).toContain("fork");
  });

  test("are of a group that goes with the worker, and with it a process that has left all else", async () => {
    await start("daemon");
    await printed("waiting");
    await until("both run", () => processes().length === 2);
    const daemons = processes().map(Number);
    await provider.stop(worker, 0);
    expect(groups()).toEqual([]);
    for (const pid of daemons) expect(existsSync(`/proc/${pid}/stat`)).toBe(false);
  });

  test("end what a killed server has left, and not what the original of a copy has", async () => {
    await start("daemon");
    await printed("waiting");
    await until("both run", () => processes().length === 2);
    cpSync(join(root, "data"), join(root, "copy"), { recursive: true, verbatimSymlinks: true });
    const left = { boot, clock: systemClock(), log };
    await endLeftOvers({ directory: join(root, "copy/workers"), ...left });
    expect(processes()).toHaveLength(2);
    await endLeftOvers({ directory: directory(), ...left });
    expect(groups()).toEqual([]);
    await ended();
  });
});
