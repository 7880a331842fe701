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

function row(name: string, judged: readonly Judged[]): string {
  const count = (is: Judged["is"]): number => judged.filter((one) => one.is === is).length;
  const accepted = judged.length - count("refused");
  const rate = accepted === 0 ? "-" : `${((100 * count("killed")) / accepted).toFixed(1)} %`;
  const cells = [
    String(count("killed")).padStart(6),
    String(count("survived")).padStart(8),
    String(count("not reached")).padStart(11),
    String(count("refused")).padStart(7),
    rate.padStart(8),
  ];
  return `${cells.join(" ")}  ${name}`;
}
