import type { Job } from "../handler.ts";

/** The jobs of an answer of job-take (one object) or job-take-batch (a list). */
export function parseJobs(answer: unknown): readonly Job[] {
  return (Array.isArray(answer) ? answer : [answer]).filter(isJob);
}

/** The ids of an answer of job-stop. */
export function parseStops(answer: unknown): readonly string[] {
  if (typeof answer !== "object" || answer === null || !("jobsToStop" in answer)) return [];
  const { jobsToStop } = answer;
  return Array.isArray(jobsToStop) ? jobsToStop.filter((id) => typeof id === "string") : [];
}

function isJob(value: unknown): value is Job {
  return typeof value === "object" && value !== null && "input" in value && "id" in value && isText(value.id);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
