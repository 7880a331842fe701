import { PostgresUnavailable, sqlState } from "./postgres-failure.ts";

/** Which of the servers of a database is its primary. */
export interface PostgresPrimary {
  /** Its address; asks all of them when it is not known. Throws what one of them says when there is none. */
  url(): Promise<string>;
  /** The server there may be it no longer: whoever asks next has all of them asked. */
  doubt(url: string): void;
}

/**
 * Chooses the first of the servers at `addresses` that `isPrimary` says takes writes. A single one is taken
 * as it is: it may be a name that follows the primary.
 */
export function postgresPrimary(
  addresses: readonly string[],
  isPrimary: (url: string) => Promise<boolean>,
): PostgresPrimary {
  const [only] = addresses;
  if (only !== undefined && addresses.length === 1) return { url: async () => only, doubt: () => undefined };
  let known: string | undefined;
  let asking: Promise<string> | undefined;

  async function ask(): Promise<string> {
    try {
      known = await Promise.any(addresses.map(askOne));
      return known;
    } catch (error) {
      throw tellingOf(error);
    } finally {
      asking = undefined;
    }
  }

  async function askOne(url: string): Promise<string> {
    if (await isPrimary(url)) return url;
    throw new PostgresUnavailable("none of the servers of the database takes writes");
  }

  return {
    url: async () => known ?? (asking ??= ask()),
    doubt(url) {
      if (known === url) known = undefined;
    },
  };
}

/** What a server says tells more than that another one is away. */
function tellingOf(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  const said: unknown[] = error.errors;
  return (
    said.find((one) => sqlState(one) !== "") ??
    said.find((one) => one instanceof PostgresUnavailable) ??
    said[0]
  );
}
