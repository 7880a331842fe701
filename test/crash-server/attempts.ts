import type { History } from "./history.ts";

/** Attempts that were handed out twice or ended twice, or that came after a later one. */
export function wrongAttempts({ handOuts, results }: History): string[] {
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

interface Moment {
  readonly attempt: number;
  readonly from: number;
  readonly to: number;
}

function isLate(one: Moment, other: Moment): boolean {
  return one.attempt < other.attempt && other.to < one.from;
}
