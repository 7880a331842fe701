import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { CrashOrder } from "./crash-order.ts";
import { type Call, callsOf, HISTORY_PIPE, MARKS_PIPE } from "./history.ts";

/** When a process is killed. */
export type KillPlan =
  /** So many milliseconds after its start. */
  | { readonly at: "time"; readonly ms: number }
  /** At once when it marks the beginning of this commit, counted from 1. */
  | { readonly at: "commit"; readonly number: number }
  /** By a tracer, when one of its threads is about to make this system call for this time, counted from 1. */
  | { readonly at: "system call"; readonly name: string; readonly number: number };

export interface KilledRun {
  readonly calls: readonly Call[];
  readonly commits: number;
  /** Whether a commit had begun and not ended. */
  readonly isInsideCommit: boolean;
  /** False when what the plan waits for had not come for so long that the process was killed anyway. */
  readonly isAsPlanned: boolean;
}

/** The program that kills before a system call. */
export const TRACER = "strace";

/** By then what a kill waits for must have come. */
const PATIENCE_MS = 5_000;

/** Starts a process as ordered, kills it as planned, and tells what it had written until then. */
export async function killedRun(order: CrashOrder, plan: KillPlan): Promise<KilledRun> {
  const script = fileURLToPath(import.meta.resolve("./crash-process.ts"));
  const command = [...tracer(plan), process.execPath, script, JSON.stringify(order)];
  const child = spawn(command[0] ?? "", command.slice(1), {
    // A group of its own, for a tracer that is killed leaves its process behind.
    detached: true,
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  let isOver = false;
  const kill = (): void => {
    if (!isOver && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  };
  let begun = 0;
  let ended = 0;
  const history = textOf(child.stdio[HISTORY_PIPE]);
  const complaints = textOf(child.stderr);
  const marks = textOf(child.stdio[MARKS_PIPE], (piece) => {
    for (const mark of piece) {
      if (mark === "b") begun++;
      else ended++;
      if (plan.at === "commit" && begun === plan.number) kill();
    }
  });
  let isAsPlanned = true;
  const timer = setTimeout(
    () => {
      isAsPlanned = plan.at === "time";
      kill();
    },
    plan.at === "time" ? plan.ms : PATIENCE_MS,
  );
  const signal = await new Promise((resolve) => child.on("exit", (_, by) => resolve(by)));
  isOver = true;
  clearTimeout(timer);
  const [text, complaint] = await Promise.all([history, complaints, marks]);
  if (signal !== "SIGKILL") throw new Error(`the process ended by itself: ${complaint}`);
  return { calls: callsOf(text), commits: ended, isInsideCommit: begun > ended, isAsPlanned };
}

function tracer(plan: KillPlan): string[] {
  if (plan.at !== "system call") return [];
  const { name, number } = plan;
  const inject = `inject=${name}:signal=KILL:when=${number}`;
  return [TRACER, "--follow-forks", "-qq", "-o", "/dev/null", "-e", `trace=${name}`, "-e", inject];
}

async function textOf(stream: unknown, listener?: (piece: string) => void): Promise<string> {
  let text = "";
  // Node types the ends of inherited pipes as streams of either direction.
  for await (const piece of (stream as Readable).setEncoding("utf8")) {
    text += String(piece);
    listener?.(String(piece));
  }
  return text;
}
