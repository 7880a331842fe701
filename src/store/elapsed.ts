/** How long ago it was, ms; undefined when it has not been. */
export function elapsed(since: number | null, now: number): number | undefined {
  return since === null ? undefined : now - since;
}
