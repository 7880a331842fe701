import { api, ApiError } from "../api.ts";
import type { FoundJob } from "../answers.ts";
import { firstLine, shortId } from "../pages/jobs/job-row.tsx";
import { jobAddress, listAddress } from "../parts/job-filters.ts";
import { to } from "../parts/route.ts";

/** A page that what is typed can mean. */
export interface Suggestion {
  readonly text: string;
  readonly about?: string;
  readonly href: string;
}

/** Each kind has at most so many. */
const MOST = 5;

/** How many jobs with an error are looked at for different ones. */
const LOOKED = 30;

/** The longest text that the server looks for in errors, characters. */
const LONGEST = 200;

const ALL = { endpoint: undefined, filters: {} };

/** The endpoints whose name has this text, or whose id it is. */
export function endpointsLike(text: string, names: ReadonlyMap<string, string>): readonly Suggestion[] {
  const sought = text.toLowerCase();
  return [...names]
    .filter(([id, name]) => id === text || name.toLowerCase().includes(sought))
    .toSorted(([, a], [, b]) => a.length - b.length || a.localeCompare(b))
    .slice(0, MOST)
    .map(([id, name]) => ({ text: `Endpoint ${name}`, about: id, href: to("endpoints", id) }));
}

/** Jobs whose ids begin with this text. */
export async function jobsOfId(text: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  if (!/^(sync-)?[0-9a-f]{4}[0-9a-f-]*(-u[0-9]*)?$/.test(text)) return [];
  const { jobs, nextCursor } = await foundJobs({ id: text }, 2, signal);
  const [first] = jobs;
  if (first === undefined && nextCursor === undefined) return [];
  if (jobs.length === 1 && first !== undefined) return [jobSuggestion(first)];
  return [{ text: `Jobs with ids like ${text}`, href: listAddress({ ...ALL, filters: { id: text } }) }];
}

function jobSuggestion({ id, endpointId, endpoint, status }: FoundJob): Suggestion {
  return {
    text: `Job ${shortId(id)}`,
    about: `${status.toLowerCase().replaceAll("_", " ")} on ${endpoint}`,
    href: jobAddress(ALL, { endpoint: endpointId, id }),
  };
}

/** Errors of the newest failed jobs that have this text. */
export async function errorsLike(text: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  if (text.length > LONGEST) return [];
  const { jobs } = await foundJobs({ error: text }, LOOKED, signal);
  const lines = new Map<string, string>();
  for (const { error = "" } of jobs) {
    const line = firstLine(error).slice(0, LONGEST);
    // The server looks for the text in the error as it was sent, where quotes can be escaped.
    if (line !== "" && error.includes(line)) lines.set(line, line);
  }
  return [...lines.keys()].slice(0, MOST).map((line) => ({
    text: `Jobs with the error “${line}”`,
    href: listAddress({ ...ALL, filters: { error: line } }),
  }));
}

/** The list of all jobs with this text in their error. */
export function anyErrorWith(text: string): readonly Suggestion[] {
  if (text.length < 2 || text.length > LONGEST) return [];
  return [
    {
      text: `Jobs with “${text}” in their error`,
      href: listAddress({ ...ALL, filters: { error: text } }),
    },
  ];
}

async function foundJobs(filter: Record<string, string>, limit: number, signal: AbortSignal) {
  try {
    return await api.findJobs(new URLSearchParams(filter).toString(), { limit }, signal);
  } catch (error) {
    if (error instanceof ApiError) return { jobs: [], nextCursor: undefined };
    throw error;
  }
}
