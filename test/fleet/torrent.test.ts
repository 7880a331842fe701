import { expect, test } from "bun:test";
import { readBudget } from "../../src/fleet/logs/output-limits.ts";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import type { WorkerExit } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { templateOf } from "../support/template-of.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

const LINE = "a line that is printed again and again";
const BYTES = 100_000_000;
const TORRENT = `yes '${LINE}' | head -c ${BYTES}; echo the last words; exit 3`;

/** Counts the turns that others have, and what is read within one. */
class Turns {
  mostRead = 0;
  #read = 0;
  #count = 0;
  #next = setImmediate(() => this.#turn());

  /** Of its windows none ends within a turn, however slow this machine is. */
  readonly #budget = readBudget({ ...systemClock(), now: () => this.#count });

  take(bytes: number): number {
    this.#read += bytes;
    this.mostRead = Math.max(this.mostRead, this.#read);
    return this.#budget.take(bytes);
  }

  end(): void {
    clearImmediate(this.#next);
  }

  #turn(): void {
    this.#count++;
    this.#read = 0;
    this.#next = setImmediate(() => this.#turn());
  }
}

test("a torrent of lines: all counted, most dropped, the last ones kept, nobody waits", async () => {
  await using directory = await temporaryDirectory();
  const turns = new Turns();
  const output = new MemoryOutput(turns);
  const log = new MemoryLog();
  const exits: WorkerExit[] = [];
  const provider = await openProcessProvider({
    directory: directory.path,
    output,
    commands: new Map([["torrent", ["sh", "-c", TORRENT]]]),
    operatorEnvironment: process.env,
    boot: thisMachine.uptime()?.boot,
    clock: systemClock(),
    log,
  });
  provider.onExit((exit) => exits.push(exit));
  const worker = `w-${crypto.randomUUID()}`;
  const startedAt = performance.now();
  await provider.start({
    worker,
    endpoint: "e",
    template: templateOf("process/torrent"),
    environment: { RUNPOD_POD_ID: worker },
  });
  await until("it ended", () => exits.length === 1, 60_000);
  turns.end();
  await provider.close();

  const text = output.printed(worker);
  const all = Math.floor(BYTES / (LINE.length + 1)) + 2;
  expect(exits[0]?.lastLines.at(-1)).toContain("the last words");
  expect(text.at(-1)).toContain("the last words");
  expect(Math.abs(text.length + output.dropped - all)).toBeLessThanOrEqual(2);
  const seconds = (performance.now() - startedAt) / 1_000;
  expect(text.join("").length).toBeLessThan((seconds + 3) * 1_100_000);
  // The budget, and what was read when it was used up.
  expect(turns.mostRead).toBeLessThan(2_000_000);
  expect(log.errors).toEqual([]);
}, 60_000);
