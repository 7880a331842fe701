/** Calls to the store that share a commit: few enough that other calls hardly wait for it. */
const TOGETHER = 100;

/** Does `run` for each item. Items of a slice share a commit; between slices other calls have their turn. */
export async function inSlices<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += TOGETHER) {
    await Promise.all(items.slice(from, from + TOGETHER).map(run));
  }
}
