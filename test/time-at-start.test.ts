import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { MachineClocks } from "../src/host/system-clock.ts";
import { timeAtStart } from "../src/host/time-at-start.ts";
import { MemoryLog } from "./support/memory-log.ts";
import { type TemporaryDirectory, temporaryDirectory } from "./support/temporary-directory.ts";

const HOUR = 3_600_000;
const T = 1_800_000_000_000;

/** A machine whose time passes by the hand of the test; its wall clock can be set, as any can. */
class Machine implements MachineClocks {
  boot = "first";
  up = 100_000;
  set = 0;
  #passed = 0;

  /** Uptime is told in hundredths of a second. */
  uptime = () => ({ boot: this.boot, ms: Math.floor(this.up / 10) * 10 });
  wall = () => T + this.#passed + this.set;

  /** What a clock shows that nobody sets. */
  get true(): number {
    return T + this.#passed;
  }

  pass(ms: number): void {
    this.up += ms;
    this.#passed += ms;
  }

  startAnew(): void {
    this.boot = `after-${this.boot}`;
    this.up = 5_000;
    this.#passed += 5_000;
  }
}

describe("the time with which a server starts", () => {
  let directory: TemporaryDirectory;
  let machine: Machine;
  let log: MemoryLog;
  let file: string;
  beforeEach(async () => {
    directory = await temporaryDirectory();
    file = join(directory.path, "data", "boot-time");
    machine = new Machine();
    log = new MemoryLog();
  });
  afterEach(() => directory[Symbol.asyncDispose]());

  const start = (notBefore = 0) => timeAtStart({ file, notBefore, log, machine });

  test("is that of the wall clock at the first start", async () => {
    expect(await start()).toBe(T);
    expect(log.entries).toEqual([]);
  });

  test("P13: counts the while that a busy disk takes, or the next start would be ahead", async () => {
    const { wall } = machine;
    machine.wall = () => {
      const told = wall();
      // The file is written after the look at the clocks.
      machine.pass(84);
      return told;
    };
    const first = await start();
    machine.wall = wall;
    expect(await start()).toBeLessThanOrEqual(first);
  });

  test.each([HOUR, -HOUR, 0])(
    "P14: goes on over a restart though the wall clock was set by %d ms",
    async (set) => {
      await start();
      for (const ms of [12_345, 3, 7_001, 60_000]) {
        machine.pass(ms);
        machine.set += set;
        const now = await start(machine.true - ms);
        expect(now).toBeLessThanOrEqual(machine.true);
        expect(now).toBeGreaterThan(machine.true - 25);
      }
    },
  );

  test("P14: what was stored is never later than the time after a restart", async () => {
    await start();
    machine.pass(5_004);
    expect(await start(machine.true)).toBe(machine.true);
  });

  test("is that of the wall clock when the machine was started anew, and goes on from there", async () => {
    await start();
    machine.set = -500;
    machine.startAnew();
    expect(await start()).toBe(machine.wall());
    const before = machine.wall();
    machine.set += HOUR;
    machine.pass(1_000);
    expect(Math.abs((await start()) - before - 1_000)).toBeLessThan(25);
  });

  test("P14: is not before what was stored, also when the machine started with a clock behind", async () => {
    await start();
    machine.startAnew();
    machine.set = -HOUR;
    expect(await start(T + 4_000)).toBe(T + 4_000);
    machine.pass(1_000);
    expect(Math.abs((await start(T + 4_000)) - T - 5_000)).toBeLessThan(25);
  });

  test("an uptime that cannot be true is not believed: a container's that begins at 0 again", async () => {
    await start();
    machine.pass(HOUR);
    machine.up = 1_000;
    expect(await start(machine.true - 10_000)).toBe(machine.true);
    machine.pass(20_000);
    machine.set = HOUR;
    expect(Math.abs((await start(machine.true - 20_000)) - machine.true)).toBeLessThan(25);
  });

  test.each(["", "half", "first x", "\0\0"])("a file that contains %p counts as missing", async (text) => {
    await start();
    await writeFile(file, text);
    machine.set = 3;
    expect(await start()).toBe(T + 3);
    expect(await readFile(file, "utf8")).toStartWith("first ");
  });

  test("if the machine has no uptime, the wall clock counts, but never goes back", async () => {
    const untold = { wall: machine.wall, uptime: () => undefined };
    const starting = (notBefore: number) => timeAtStart({ file, notBefore, log, machine: untold });
    expect(await starting(0)).toBe(T);
    machine.set = -HOUR;
    expect(await starting(T)).toBe(T);
    machine.set = HOUR;
    expect(await starting(T)).toBe(T + HOUR);
  });

  test("the log reports a wall clock that was set", async () => {
    await start();
    machine.set = HOUR;
    await start();
    expect(log.entries).toEqual([
      expect.objectContaining({ level: "warn", fields: { set: expect.closeTo(HOUR, -2) } }),
    ]);
  });
});
