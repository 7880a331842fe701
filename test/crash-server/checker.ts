import { wrongAttempts } from "./attempts.ts";
import { wrongChunks } from "./chunks.ts";
import { type Counted, wrongCounters } from "./counters.ts";
import type { History } from "./history.ts";
import { jobHistories } from "./job-history.ts";
import { wrongMoves } from "./moves.ts";
import { wrongWebhooks } from "./webhooks.ts";

/** The verdict on a history: each list must be empty. */
export interface Verdict {
  /** Acknowledged, and not there. */
  readonly lost: string[];
  /** A job that nobody has sent, or a result that no worker has. */
  readonly unexpected: string[];
  /** One submission as two jobs, one attempt handed out twice or ended twice. */
  readonly duplicated: string[];
  /** A move that the table of transitions does not have. */
  readonly illegal: string[];
  /** The record of a job that has ended became another one. */
  readonly changed: string[];
  /** An acknowledged chunk that was not read, one that was read twice, or in the wrong order. */
  readonly chunks: string[];
  /** Counters that the jobs contradict. */
  readonly counters: string[];
  /** Not ended, though there was nothing any more to wait for. */
  readonly unfinished: string[];
  /** An end without its webhook, a webhook without such an end, or one that came with two bodies. */
  readonly webhooks: string[];
  /** Answers that no call may get. */
  readonly answers: string[];
}

/**
 * Looks for whatever a server that keeps its promises cannot have done. Each job must have been looked at
 * when nothing ran any more, which is when `counted` was read.
 */
export function check(history: History, counted: readonly Counted[]): Verdict {
  const jobs = jobHistories(history);
  const sent = new Set(history.results.map(({ id, digest }) => `${id} ${digest}`));
  const moves = [...jobs].map(([id, job]) => wrongMoves(id, job, sent));
  const { strangers, doubled } = wrongIds(history);
  return {
    lost: moves.flatMap(({ lost }) => lost),
    unexpected: [...strangers, ...foreignResults(history, sent)],
    duplicated: [...doubled, ...wrongAttempts(history)],
    illegal: moves.flatMap(({ illegal }) => illegal),
    changed: moves.flatMap(({ changed }) => changed),
    chunks: wrongChunks(history),
    counters: wrongCounters(history, jobs, counted),
    unfinished: [...jobs].flatMap(([id, { sightings }]) => {
      const state = sightings.at(-1)?.state;
      return state === "IN_QUEUE" || state === "IN_PROGRESS" || state === undefined
        ? [`${id} is ${state}`]
        : [];
    }),
    webhooks: wrongWebhooks(history, jobs),
    answers: history.faults,
  };
}

/** One submission makes one job, whether its answer came or not. */
function wrongIds({ submissions, handOuts }: History): { strangers: string[]; doubled: string[] } {
  const ids = new Map(submissions.map(({ tag, id }) => [tag, id]));
  const tags = new Map(submissions.map(({ tag, id }) => [id, tag]));
  const strangers: string[] = [];
  const doubled: string[] = [];
  for (const { id, tag } of handOuts) {
    const known = ids.get(tag);
    if (!ids.has(tag)) strangers.push(`job ${id} with tag ${tag}, which nobody has sent`);
    else if (known !== undefined && known !== id)
      doubled.push(`submission ${tag} is job ${known} and job ${id}`);
    else if ((tags.get(id) ?? tag) !== tag) strangers.push(`job ${id} with tag ${tag}, not ${tags.get(id)}`);
    else ids.set(tag, id);
  }
  return { strangers, doubled };
}

function foreignResults({ sightings }: History, sent: ReadonlySet<string>): string[] {
  return sightings.flatMap(({ id, state, result }) =>
    result === undefined || sent.has(`${id} ${result}`) ? [] : [`${id} is ${state} with ${result}`],
  );
}
