import { hasEnded, type Job, type JobStatus, type JobTicket } from "@forebay/worker/client";
import { green, nameValues, plain, red, type Style, yellow } from "../terminal/print.ts";
import { durationText } from "../terminal/duration-text.ts";
import { errorText } from "../terminal/error-text.ts";
import { shown } from "../terminal/terminal-text.ts";

/** Prints the record of a job. The exit code is 1 if it ended without output. */
export function showJob(job: Job, isJson: boolean): void {
  if (hasEnded(job) && job.status !== "COMPLETED") process.exitCode = 1;
  console.log(isJson ? shown(JSON.stringify(job)) : recordText(job));
}

/** Prints the answer to a submitted, cancelled or retried job. */
export function showTicket(ticket: JobTicket, isJson: boolean): void {
  console.log(isJson ? JSON.stringify(ticket) : recordText(ticket));
}

export function styleOf(status: JobStatus): Style {
  if (status === "COMPLETED") return green;
  if (status === "FAILED" || status === "TIMED_OUT") return red;
  return status === "CANCELLED" ? yellow : plain;
}

function recordText(job: Job | JobTicket): string {
  const lines: [name: string, value: string, style?: Style][] = [
    ["id", job.id],
    ["status", job.status, styleOf(job.status)],
  ];
  if ("delayTime" in job && job.delayTime !== undefined) lines.push(["waited", durationText(job.delayTime)]);
  if ("executionTime" in job && job.executionTime !== undefined) {
    lines.push(["ran", durationText(job.executionTime)]);
  }
  if ("workerId" in job && job.workerId !== undefined) lines.push(["worker", job.workerId]);
  if ("retries" in job && job.retries !== undefined) lines.push(["lost", `${job.retries} times`]);
  if ("error" in job && job.error !== undefined) lines.push(["error", errorText(job.error)]);
  if ("progress" in job) lines.push(["progress", JSON.stringify(job.progress)]);
  const text = nameValues(lines);
  return "output" in job ? `${text}\n\n${outputText(job.output)}` : text;
}

function outputText(output: unknown): string {
  return shown(typeof output === "string" ? output : JSON.stringify(output, null, 2));
}
