import type { History, Span } from "./history.ts";

/**
 * Attempts that were handed out twice or ended twice, or that came after a later one, and runs of which two
 * results were accepted: only a retry begins another run.
 */
export function wrongAttempts({ handOuts, results, requests }: History): string[] {
  const wrong: string[] = [];
  const handedOut = new Map<string, { attempt: number; from: number; to: number }[]>();
  for (const { id, attempt, span } of handOuts) {
    if (attempt === undefined || span === undefined) continue;
    const others = handedOut.get(id) ?? [];
    for (const other of others) {
      if (other.attempt === attempt) wrong.push(`attempt ${attempt} of ${id} was handed out twice`);
      else if (isLate({ attempt, ...span }, other) || isLate(other, { attempt, ...span }))
        wrong.push(`attempts ${attempt} and ${other.attempt} of ${id} were handed out in the wrong order`);
    }
    handedOut.set(id, [...others, { attempt, ...span }]);
  }
  wrong.push(...doubledRuns(results, requests));
  const ended = new Set<string>();
  for (const { id, attempt, accepted } of results) {
    if (attempt === undefined || accepted === undefined) continue;
    const name = `attempt ${attempt} of ${id}`;
    if (ended.has(name)) wrong.push(`two results of ${name} were accepted`);
    ended.add(name);
    const later = handedOut.get(id)?.find((other) => isLate({ attempt, ...accepted }, other));
    if (later !== undefined)
      wrong.push(`a result of ${name} was accepted after attempt ${later.attempt} began`);
  }
  return wrong;
}

/** Jobs of which the results of two attempts were accepted, with no retry between them. */
function doubledRuns(results: History["results"], requests: History["requests"]): string[] {
  const wrong: string[] = [];
  const accepted = new Map<string, (Span & { readonly attempt: number | undefined })[]>();
  for (const { id, attempt, accepted: span } of results) {
    if (span === undefined) continue;
    const others = accepted.get(id) ?? [];
    const retries = requests.filter((request) => request.id === id && request.verb === "retry");
    for (const other of others) {
      const [from, to] = [Math.min(other.from, span.from), Math.max(other.to, span.to)];
      const hasRetry = retries.some((retry) => retry.from < to && retry.to > from);
      if (other.attempt !== attempt && !hasRetry) wrong.push(`two results of one run of ${id} were accepted`);
    }
    accepted.set(id, [...others, { ...span, attempt }]);
  }
  return wrong;
}

interface Moment {
  readonly attempt: number;
  readonly from: number;
  readonly to: number;
}

function isLate(one: Moment, other: Moment): boolean {
  return one.attempt < other.attempt && other.to < one.from;
}
