/** Between two looks, ms. */
const PAUSE = 10;

/**
 * The first answer of `look` that is not undefined or false. Fails after `limit` ms with what was waited for.
 */
export async function until<Found>(
  what: string,
  look: () => Found | undefined | false | Promise<Found | undefined | false>,
  limit = 25_000,
): Promise<Found> {
  const giveUpAt = performance.now() + limit;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > giveUpAt) throw new Error(`waited ${limit} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
