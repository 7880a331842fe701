import type { Verdict } from "../history/check-history.ts";
import type { Simulated } from "./simulate.ts";
import { Tally } from "./tally.ts";
import { WINDOW_FAULTS } from "./weather.ts";

/** Everything that must have had an effect, or the run shows nothing. */
export const REQUIRED: readonly string[] = [
  ...WINDOW_FAULTS.map((fault) => `fault ${fault}`),
  ...["before commit", "inside commit", "after commit", "after payload"].map(
    (point) => `fault crash ${point}`,
  ),
  ...["crash", "stop", "pause", "clock step", "reorder"].map((fault) => `fault ${fault}`),
  ...["worker crash", "worker vanishes", "worker pause"].map((fault) => `fault ${fault}`),
  ...["run", "runsync", "status", "stream", "stream from", "cancel", "retry"].map((name) => `action ${name}`),
  ...["purge", "health", "requests", "hand-out", "report", "late report", "report again"].map(
    (name) => `action ${name}`,
  ),
  ...["exchange again", "stop", "late result", "whole stream"].map((name) => `action ${name}`),
  "purged",
  "chunks read",
  "move IN_PROGRESS to IN_QUEUE",
  "move IN_PROGRESS to TIMED_OUT",
  "move IN_QUEUE to TIMED_OUT",
  "move webhook FAILED",
];

/** What many simulations have come to. */
export class Totals {
  worlds = 0;
  steps = 0;
  readonly tally = new Tally();
  readonly #verdict: Record<string, number> = {};

  add({ steps, tally, verdict }: Simulated): void {
    this.worlds++;
    this.steps += steps;
    this.tally.merge(tally);
    if (verdict !== undefined) for (const [name, count] of figuresOf(verdict)) this.#add(name, count);
  }

  #add(name: string, count: number): void {
    this.#verdict[name] = (this.#verdict[name] ?? 0) + count;
  }

  /** What never had an effect. */
  get missing(): readonly string[] {
    return REQUIRED.filter((name) => this.tally.of(name) === 0);
  }

  table(seconds: number): string {
    const rows: [string, number][] = [
      ["steps", this.steps],
      ["steps per second", Math.round(this.steps / seconds)],
      ["worlds", this.worlds],
      ...Object.entries(this.#verdict),
    ];
    return [
      section("simulation", rows),
      section("faults that had an effect", this.tally.group("fault ")),
      section("actions that had an effect", this.tally.group("action ")),
      section("moves of jobs and webhooks", this.tally.group("move ")),
    ].join("\n");
  }
}

function figuresOf({ acknowledged, unknown, recovered, faults }: Verdict): [string, number][] {
  return [
    ["acknowledged", acknowledged],
    ["lost", faults.lost.length],
    ["unexpected", faults.unexpected.length],
    ["duplicated", faults.duplicated.length],
    ["illegal", faults.illegal.length],
    ["not linearizable", faults.notLinearizable.length],
    ["recovered", recovered],
    ["unknown", unknown],
  ];
}

function section(title: string, rows: readonly (readonly [string, number])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const lines = rows.map(([name, count]) => `  ${name.padEnd(width)}  ${String(count).padStart(10)}`);
  return `--- ${title} ---\n${lines.join("\n")}`;
}
