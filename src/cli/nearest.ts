/** The known names that differ from `given` by few typing errors. */
export function nearest(given: string, known: readonly string[]): string[] {
  const slips = Math.max(1, Math.floor(given.length / 3));
  return known
    .map((name) => ({ name, slips: slipsBetween(given.toLowerCase(), name.toLowerCase()) }))
    .filter((each) => each.slips <= slips || isBegin(given, each.name))
    .toSorted((a, b) => a.slips - b.slips)
    .slice(0, 3)
    .map(({ name }) => name);
}

/** A prefix of at least three letters matches too. */
function isBegin(given: string, name: string): boolean {
  return given.length >= 3 && name.startsWith(given);
}

/** A sentence with the near names; empty if there are none. */
export function didYouMean(given: string, known: readonly string[]): string {
  const near = nearest(given, known);
  return near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
}

/** The number of letters left out, added, changed or swapped (optimal string alignment). */
function slipsBetween(a: string, b: string): number {
  let last: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const before = last;
    last = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min((last[j - 1] ?? 0) + (isSame ? 0 : 1), (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) least = Math.min(least, (before[j - 2] ?? 0) + 1);
      row.push(least);
    }
  }
  return row[b.length] ?? 0;
}
