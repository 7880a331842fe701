import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { appendFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { LogRead } from "../../src/domain/log.ts";
import {
  openWorkerLogFiles,
  type WorkerLogFiles,
  type WorkerLogFilesOptions,
} from "../../src/fleet/logs/worker-log-files.ts";
import { systemClock } from "../../src/host/system-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { linesOf } from "../support/test-client.ts";
import { until } from "../support/until.ts";

const MB = 1_048_576;
const IS_ENDPOINT = (): boolean => true;

describe("the logs of workers on the disk", () => {
  let directory: TemporaryDirectory;
  let log: MemoryLog;
  let logs: WorkerLogFiles;
  const open = (more: Partial<WorkerLogFilesOptions> = {}): Promise<WorkerLogFiles> =>
    openWorkerLogFiles({
      directory: join(directory.path, "logs"),
      limit: MB,
      endpointLimit: 10 * MB,
      retention: 60_000,
      clock: systemClock(),
      log,
      ...more,
    });
  beforeEach(async () => {
    directory = await temporaryDirectory();
    log = new MemoryLog();
    logs = await open();
  });
  afterEach(async () => {
    await logs.close();
    await directory[Symbol.asyncDispose]();
    expect(log.errors).toEqual([]);
  });

  async function textOf(worker: string, wish: Partial<LogRead> = {}): Promise<string> {
    let text = "";
    for await (const { lines } of logs.read({ endpoint: "e", worker, ...wish }))
      text += Buffer.from(lines).toString();
    return text;
  }
  const read = async (worker: string, wish: Partial<LogRead> = {}): Promise<string[]> =>
    linesOf(await textOf(worker, wish)).map(({ line }) => line);
  const hasLine = (worker: string, line: string) =>
    until(`${line.slice(0, 80)} is there`, async () => (await read(worker)).includes(line));
  const bytesOf = (path: string): number =>
    existsSync(path)
      ? readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
      : 0;
  const pathOf = (worker: string): string => join(directory.path, "logs", "e", worker);
  /** About so many MB of lines of 1 kB, with their numbers. */
  async function print(worker: string, megabytes: number): Promise<void> {
    const own = logs.of("e", worker);
    for (let number = 0; number < megabytes * 1_000; number++) {
      own.line("stdout", `${number} ${"x".repeat(1_000)}`);
      if (number % 1_000 === 999) await hasLine(worker, `${number} ${"x".repeat(1_000)}`);
    }
  }

  test("what is printed is read in its order, with its stream, and obeyed by no terminal", async () => {
    const own = logs.of("e", "w");
    own.line("stdout", "one");
    own.line("stderr", "two \u001b[31m\u202e");
    await hasLine("w", "one");
    const text = await textOf("w");
    expect(linesOf(text)).toMatchObject([
      { stream: "stdout", line: "one" },
      { stream: "stderr", line: "two \u001b[31m\u202e" },
    ]);
    // oxlint-disable-next-line no-control-regex -- it is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(statSync(pathOf("w")).mode & 0o077).toBe(0);
  });

  test("the newest of a log are kept up to its limit, and its tail is found in all its files", async () => {
    await print("w", 3);
    expect(bytesOf(pathOf("w"))).toBeLessThanOrEqual(MB);
    expect(bytesOf(pathOf("w"))).toBeGreaterThan(MB / 2);
    const numbers = (await read("w")).map((line) => Number(line.split(" ")[0]));
    expect(numbers.at(-1)).toBe(2_999);
    expect(numbers).toEqual(numbers.map((_, index) => 3_000 - numbers.length + index));
    for (const tail of [0, 1, 5, 300, 700, 1_000_000]) {
      const last = (await read("w", { tail })).map((line) => Number(line.split(" ")[0]));
      expect(last).toEqual(tail === 0 ? [] : numbers.slice(-tail));
    }
  });

  test("lines are chosen by their times", async () => {
    const own = logs.of("e", "w");
    for (const second of [1, 2, 3]) own.line("stdout", `${second}`, `2026-01-31T12:00:0${second}.500000001Z`);
    await hasLine("w", "3");
    const at = (second: number, ms: number): number => Date.parse(`2026-01-31T12:00:0${second}.${ms}Z`);
    expect(await read("w", { since: at(2, 500) })).toEqual(["2", "3"]);
    expect(await read("w", { since: at(2, 501) })).toEqual(["3"]);
    expect(await read("w", { until: at(2, 500) })).toEqual(["1", "2"]);
  });

  test("who follows gets each line once, as it comes, until the worker has ended", async () => {
    const own = logs.of("e", "w");
    own.line("stdout", "0");
    await hasLine("w", "0");
    const got: string[] = [];
    const following = (async () => {
      for await (const { lines } of logs.read({ endpoint: "e", worker: "w", follow: true })) {
        got.push(...linesOf(Buffer.from(lines).toString()).map(({ line }) => line));
      }
    })();
    for (let number = 1; number < 200; number++) {
      own.line("stdout", `${number}`);
      if (number % 50 === 0) await until(`${number} has come`, () => got.includes(`${number}`));
    }
    own.end();
    await following;
    expect(got).toEqual(Array.from({ length: 200 }, (_, number) => `${number}`));
  });

  test("who follows is let go of when it gives up, and when the server stops", async () => {
    logs.of("e", "w").line("stdout", "0");
    const leaving = new AbortController();
    const left = read("w", { follow: true, signal: leaving.signal });
    const released = read("w", { follow: true });
    await hasLine("w", "0");
    leaving.abort();
    expect(await left).toEqual(["0"]);
    logs.release();
    expect(await released).toEqual(["0"]);
  });

  test("missing lines are reported at their place", async () => {
    const own = logs.of("e", "w");
    own.line("stdout", "before");
    own.dropped(70);
    own.dropped(7);
    own.line("stdout", "behind");
    own.dropped(1);
    own.end();
    const told = (count: number): string => `${count} lines are missing here: too many came at once.`;
    await hasLine("w", told(1));
    expect(await read("w")).toEqual(["before", told(77), "behind", told(1)]);
  });

  test("a log is there after a restart, goes on, and a line that a kill has cut is left out", async () => {
    const own = logs.of("e", "w");
    own.line("stdout", "one", "2026-01-31T12:00:01.000000001Z");
    own.dropped(1);
    own.end();
    await hasLine("w", "1 lines are missing here: too many came at once.");
    const [name = ""] = readdirSync(pathOf("w"));
    appendFileSync(join(pathOf("w"), name), '{"time":"2026-01-31T12:00:0');
    logs = await open();
    const again = logs.of("e", "w");
    expect(await again.lastAt()).toBe("2026-01-31T12:00:01.000000001Z");
    again.line("stdout", "two");
    await hasLine("w", "two");
    expect((await read("w")).filter((line) => line.length === 3)).toEqual(["one", "two"]);
    expect(await logs.of("e", "fresh").lastAt()).toBeUndefined();
  });

  test("of one endpoint the logs of ended workers go first, of those the oldest", async () => {
    logs = await open({ endpointLimit: 2 * MB });
    for (const worker of ["w1", "w2", "w3"]) await print(worker, 1);
    for (const worker of ["w1", "w2"]) logs.of("e", worker).end();
    await logs.tidy(IS_ENDPOINT);
    expect(bytesOf(join(directory.path, "logs"))).toBeLessThanOrEqual(2 * MB);
    const sizes = ["w1", "w2", "w3"].map((worker) => bytesOf(pathOf(worker)));
    expect(sizes[0]).toBeLessThan(sizes[1] ?? 0);
    expect((await read("w3")).length).toBeGreaterThan(700);
  });

  test("a log goes a while after its worker's end, and with its endpoint at once", async () => {
    for (const worker of ["ended", "runs"]) logs.of("e", worker).line("stdout", "one");
    logs.of("e", "ended").end();
    await hasLine("ended", "one");
    await hasLine("runs", "one");
    await logs.tidy(IS_ENDPOINT);
    expect(logs.has("e", "ended")).toBe(true);
    logs = await open({ retention: 0 });
    logs.of("e", "runs");
    await until("it is old enough", async () => {
      await logs.tidy(IS_ENDPOINT);
      return !logs.has("e", "ended");
    });
    expect([existsSync(pathOf("ended")), await read("runs")]).toEqual([false, ["one"]]);
    const own = logs.of("e", "runs");
    await logs.tidy(() => false);
    own.line("stdout", "two");
    await logs.close();
    expect(readdirSync(join(directory.path, "logs"))).toEqual([]);
  });

  test("a disk that refuses to write loses lines, says so once, and that it works again", async () => {
    const own = logs.of("e", "w");
    // No directory can be made where a file is.
    writeFileSync(join(directory.path, "logs"), "");
    const missing = "what workers print is not kept until the disk has room again";
    for (const line of ["one", "two"]) {
      own.line("stdout", line);
      await until("it has failed", () => log.entries.some(({ message }) => message === missing));
    }
    rmSync(join(directory.path, "logs"));
    await until("it works again", async () => {
      own.line("stdout", "three");
      return log.entries.some(({ message }) => message === "what workers print is kept again");
    });
    expect(log.entries.filter(({ message }) => message === missing).length).toBe(1);
    await hasLine("w", "three");
    expect((await read("w"))[0]).toMatch(/^[1-9][0-9]* lines are missing here/);
  });
});
