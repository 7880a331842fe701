import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  openProcessProvider,
  type ProcessProviderOptions,
} from "../../src/fleet/process/process-provider.ts";
import { parseMark, placeOf } from "../../src/fleet/process/process-mark.ts";
import { readBudget } from "../../src/fleet/logs/output-limits.ts";
import { type Provider, StartFault, type WorkerExit } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { MACHINE_VARIABLES } from "../support/machine-variables.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { processesWith } from "../support/processes.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";

/** Prints what it is, one JSON object, and ends. */
const TELL = `const { argv, env } = process;
  console.log(JSON.stringify({ argv: argv.slice(1), cwd: process.cwd(), env }))`;

const sh = (script: string): string[] => ["sh", "-c", script];

const COMMANDS = new Map([
  ["tell", [process.execPath, "-e", TELL, "--"]],
  ["wait", sh("echo waiting; exec sleep 1000")],
  ["look", sh("ls ..; echo waiting; exec sleep 1000")],
  ["deaf", sh("trap '' TERM; echo waiting; while :; do sleep 1000; done")],
  ["parent", sh("sleep 1000 & echo waiting; exec sleep 1000")],
  ["family", sh("sleep 1000 & setsid sh -c 'echo waiting; exec sleep 1000' & exec sleep 1000")],
  [
    "flood",
    sh(
      "yes | head -c 200000 | tr -d '\\n'; " +
        "printf '\\303'; sleep 0.1; printf '\\251\\r\\n\\n'; printf last >&2",
    ),
  ],
  ["litter", sh("mkdir -p a/b; echo c >a/b/c; exit 7")],
  ["talk", sh("for line in $(seq 25); do echo $line; done; exit 1")],
  ["absent", ["no-such-program"]],
]);

describe("workers as processes", () => {
  let root: string;
  let w1: string;
  let w2: string;
  let log: MemoryLog;
  let output: MemoryOutput;
  let exits: WorkerExit[];
  let provider: Provider;
  const open = async (more: Partial<ProcessProviderOptions> = {}): Promise<Provider> => {
    const operatorEnvironment = { ...process.env, LANG: "C.UTF-8", SECRET: "s" };
    const directory = join(root, "workers");
    const options = {
      directory,
      output,
      commands: COMMANDS,
      operatorEnvironment,
      boot: thisMachine.uptime()?.boot,
      clock: systemClock(),
      log,
      ...more,
    };
    const opened = await openProcessProvider(options);
    opened.onExit((exit) => exits.push(exit));
    return opened;
  };
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "forebay-fleet-"));
    // A process of another run must not be taken for one of this.
    [w1, w2] = [`w1-${crypto.randomUUID()}`, `w2-${crypto.randomUUID()}`];
    log = new MemoryLog();
    output = new MemoryOutput(readBudget(systemClock()));
    exits = [];
    provider = await open();
  });
  afterEach(async () => {
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await cleared();
    rmSync(root, { recursive: true });
    expect(log.errors).toEqual([]);
    await until("no process is left", () => running(w1).length + running(w2).length === 0);
  });

  const start = (worker: string, command: string, fields = {}, environment = {}) =>
    provider.start({
      worker,
      endpoint: "e",
      template: templateOf(`process/${command}`, fields),
      environment: { RUNPOD_POD_ID: worker, ...environment },
    });
  const lines = (worker: string): string[] => output.printed(worker);
  const waiting = (worker: string) => until("it waits", () => lines(worker).includes("waiting"));
  const running = (worker: string): number[] => processesWith(`RUNPOD_POD_ID=${worker}`);
  const pidOf = (worker: string): number => {
    const marks = readdirSync(join(root, "workers", worker)).map(parseMark);
    return marks.find((mark) => mark !== undefined)?.pid ?? 0;
  };
  const ended = (worker: string) => until("it ended", () => exits.find((exit) => exit.worker === worker));
  const directories = (): string[] =>
    existsSync(join(root, "workers")) ? readdirSync(join(root, "workers")) : [];
  const cleared = () => until("all directories are gone", () => directories().length === 0);

  test("get exactly their arguments and environment, and a fresh directory", async () => {
    const env = { MODEL: "a\n$(touch x)", RUNPOD_AI_API_KEY: "stolen", LANG: "C" };
    await start(w1, "tell", { env, dockerStartCmd: ["-e", "$HOME *"] }, { RUNPOD_AI_API_KEY: "token" });
    const told = await until("it told", () => lines(w1)[0]);
    const { argv, cwd, env: got } = JSON.parse(told);
    expect(argv).toEqual(["-e", "$HOME *"]);
    expect(cwd).toBe(join(root, "workers", w1, "work"));
    const { _, ...exact } = got;
    expect(exact).toEqual({
      ...MACHINE_VARIABLES,
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      LANG: "C",
      MODEL: "a\n$(touch x)",
      RUNPOD_AI_API_KEY: "token",
      RUNPOD_POD_ID: w1,
    });
    await cleared();
  });

  test("report their exit, and leave nothing behind", async () => {
    await start(w1, "litter");
    expect(await provider.list()).toEqual([w1]);
    expect(await ended(w1)).toEqual({ worker: w1, how: "exit code 7", lastLines: [] });
    expect(await provider.list()).toEqual([]);
    await cleared();
  });

  test("report the last lines of their logs, up to the end, and no more than twenty", async () => {
    await start(w1, "talk");
    const expected = Array.from({ length: 20 }, (_, index) => `${index + 6}`);
    expect((await ended(w1)).lastLines).toEqual(expected);
  });

  test("one that is stopped while it starts is gone afterwards", async () => {
    const started = start(w1, "wait");
    await provider.stop(w1, 0);
    await started;
    expect(running(w1)).toEqual([]);
    expect(await provider.list()).toEqual([]);
  });

  test("have the id and the start of their process on the disk before the program runs", async () => {
    await start(w1, "look");
    await waiting(w1);
    const [pid = 0] = running(w1);
    const place = await placeOf(join(root, "workers"), thisMachine.uptime()?.boot);
    const startedAt = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(" ")[21]);
    const names = readdirSync(join(root, "workers", w1)).toSorted();
    expect(names).toEqual([`pid.${place}.${pid}.${startedAt}`, "work"]);
    // The program itself has found it.
    expect(lines(w1)).toEqual([...names, "waiting"]);
    expect(parseMark(names[0] ?? "")).toEqual({ place, pid, startedAt });
  });

  test("end by SIGTERM when they are stopped", async () => {
    await start(w1, "wait");
    await waiting(w1);
    await provider.stop(w1, 60_000);
    expect(exits).toEqual([{ worker: w1, how: "signal SIGTERM", lastLines: ["waiting"] }]);
    expect(running(w1)).toEqual([]);
  });

  test("are killed when the grace is over, or at once without one", async () => {
    for (const [worker, grace] of [
      [w1, 100],
      [w2, 0],
    ] as const) {
      await start(worker, "deaf");
      await waiting(worker);
      await provider.stop(worker, grace);
    }
    expect(exits.map(({ how }) => how)).toEqual(["signal SIGKILL", "signal SIGKILL"]);
  });

  test("a second stop can shorten the grace, and both wait for the end", async () => {
    await start(w1, "deaf");
    await waiting(w1);
    const first = provider.stop(w1, 60_000);
    await provider.stop(w1, 0);
    await first;
    expect(exits.length).toBe(1);
    await provider.stop(w1, 60_000);
  });

  test("R22, kill first: they take what they started with them when they are killed", async () => {
    await start(w1, "parent");
    await waiting(w1);
    await until("both run", () => running(w1).length === 2);
    process.kill(pidOf(w1), "SIGKILL");
    expect(await ended(w1)).toEqual({ worker: w1, how: "signal SIGKILL", lastLines: ["waiting"] });
    await until("the other is gone", () => running(w1).length === 0);
  });

  test("have every line read and passed on, a long one in pieces", async () => {
    await start(w1, "flood");
    await ended(w1);
    const text = `${"y".repeat(100_000)}é`;
    const all = await until("all is read", () => {
      const read = lines(w1).map(String);
      return read.join("").length === text.length + "last".length && read;
    });
    expect(all.filter((line) => line !== "last").join("")).toBe(text);
    expect(Math.max(...all.map((line) => line.length))).toBe(8_192);
  });

  test("whose program is not there end with the shell's word for it", async () => {
    await start(w1, "absent");
    expect((await ended(w1)).how).toBe("exit code 127");
    await until("it is told", () => lines(w1).some((line) => line.includes("no-such-program")));
  });

  test("whose start the system refuses leave nothing behind", async () => {
    const env = { HUGE: "x".repeat(3_000_000) };
    await expect(start(w1, "wait", { env })).rejects.toThrow(StartFault);
    await expect(start(w2, "unknown")).rejects.toThrow(StartFault);
    expect(await provider.list()).toEqual([]);
    expect(directories()).toEqual([]);
  });

  test("work where the operator says, with the variables that the operator names", async () => {
    const next = await open({ workingDirectory: root, passedOn: ["SECRET", "PATH"] });
    provider = next;
    await start(w1, "tell");
    const { cwd, env } = JSON.parse(await until("it told", () => lines(w1)[0]));
    const { _, ...exact } = env;
    expect(cwd).toBe(root);
    expect(exact).toEqual({
      ...MACHINE_VARIABLES,
      PATH: process.env["PATH"],
      SECRET: "s",
      RUNPOD_POD_ID: w1,
    });
  });

  test("that have no place on the disk are not started", async () => {
    writeFileSync(join(root, "workers"), "");
    await expect(start(w1, "wait")).rejects.toThrow("The system cannot start the process: ENOTDIR.");
    rmSync(join(root, "workers"));
  });

  test("that a killed server left are ended by the next one, with all they started", async () => {
    await start(w1, "family");
    await start(w2, "wait");
    await Promise.all([waiting(w1), waiting(w2)]);
    await until("all three run", () => running(w1).length === 3);
    const next = await open();
    expect(running(w1).length + running(w2).length).toBe(0);
    expect(await next.list()).toEqual([]);
    expect(log.entries.filter(({ message }) => message.includes("outlived")).length).toBe(2);
    await cleared();
  });

  test("a cleanup that was interrupted is finished by the next start", async () => {
    mkdirSync(join(root, "workers", `${w1}.left-over`, "work"), { recursive: true });
    await open();
    await cleared();
  });
});
