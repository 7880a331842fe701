import type { Mutant } from "./mutant.ts";

export interface Judged {
  readonly mutant: Mutant;
  /** Refused: by the compiler, so that it is neither killed nor alive. */
  readonly is: "killed" | "survived" | "not reached" | "refused";
}

/** A line for each file, and the rate of all: killed of those that the compiler accepts. */
export function table(judged: readonly Judged[]): string {
  const files = Map.groupBy(judged, ({ mutant }) => mutant.file);
  const rows = [...files].map(([file, own]) => row(file, own));
  return ["killed survived not-reached refused  rate", ...rows, row("all", judged)].join("\n");
}

/** Killed of those that the compiler accepts, in percent. */
export function rateOf(judged: readonly Judged[]): number {
  const accepted = judged.filter(({ is }) => is !== "refused");
  return (100 * accepted.filter(({ is }) => is === "killed").length) / accepted.length;
}

function row(name: string, judged: readonly Judged[]): string {
  const count = (is: Judged["is"]): number => judged.filter((one) => one.is === is).length;
  const percent = rateOf(judged);
  const rate = Number.isNaN(percent) ? "-" : `${percent.toFixed(1)} %`;
  const cells = [
    String(count("killed")).padStart(6),
    String(count("survived")).padStart(8),
    String(count("not reached")).padStart(11),
    String(count("refused")).padStart(7),
    rate.padStart(8),
  ];
  return `${cells.join(" ")}  ${name}`;
}
