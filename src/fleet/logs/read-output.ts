import type { Readable } from "node:stream";
import type { Clock } from "../../domain/clock.ts";
import type { LineSplitter } from "./line-splitter.ts";
import type { ReadBudget } from "./read-budget.ts";

/** Reads what a process prints no faster than the budget says: one that prints more waits for it. */
export function readOutput(stream: Readable, lines: LineSplitter, budget: ReadBudget, clock: Clock): void {
  let hasEnded = false;
  const end = (): void => {
    if (!hasEnded) lines.end();
    hasEnded = true;
  };
  stream.on("data", (piece: Buffer) => {
    lines.push(piece);
    pauseFor(stream, budget.take(piece.length), clock);
  });
  stream.on("end", end);
  // The end of a stream says all there is to say; one that breaks has ended.
  stream.on("error", end);
}

/** Reads nothing of the stream for so many ms. */
export function pauseFor(stream: Readable, ms: number, clock: Clock): void {
  if (ms <= 0) return;
  stream.pause();
  clock.after(ms, () => stream.resume());
}
