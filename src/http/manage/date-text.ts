/** A time as the answers of the management API have it; undefined where there is none. */
export function dateText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
