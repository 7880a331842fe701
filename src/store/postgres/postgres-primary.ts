import { OperatorFault } from "../../domain/operator-fault.ts";
import { PostgresUnavailable, sqlState } from "./postgres-failure.ts";

/** Which of the servers of a database is its primary. */
export interface PostgresPrimary {
  /** The address of the primary. If it is unknown, asks all servers. Throws the error of one if none is. */
  url(): Promise<string>;
  /** The server there may no longer be the primary: the next call of `url` asks all servers. */
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
      throw clearestOf(error);
    } finally {
      asking = undefined;
    }
  }

  async function askOne(url: string): Promise<string> {
    if (await isPrimary(url)) return url;
    throw new PostgresUnavailable("none of the servers of the database accepts writes");
  }

  return {
    url: async () => known ?? (asking ??= ask()),
    doubt(url) {
      if (known === url) known = undefined;
    },
  };
}

/** The error of a server that answered: it says more than that another one is away. */
function clearestOf(error: unknown): unknown {
  if (!(error instanceof AggregateError)) return error;
  const said: unknown[] = error.errors;
  return (
    said.find((one) => sqlState(one) !== "") ??
    said.find((one) => one instanceof PostgresUnavailable) ??
    said[0]
  );
}

/**
 * One address for each server of a database: `postgres://user@a,b:5433/name` names two. Parameters by which
 * libpq chooses among them (`target_session_attrs`) are left out: Forebay always uses the one that takes
 * writes. Throws one sentence if it is no such URL.
 */
export function postgresAddresses(url: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]+)([^?#]*)(\?[^#]*)?$/.exec(url);
  if (parts === null) throw new OperatorFault(`the database URL ${EXPECTED}.`);
  const [, scheme = "", user = "", hosts = "", name = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const wanted = parameters.get(CHOICE) ?? "read-write";
  if (wanted !== "read-write" && wanted !== "primary") {
    throw new OperatorFault(`the database URL asks for ${CHOICE}=${wanted}: Forebay needs read-write.`);
  }
  const rest = query
    .slice(1)
    .split("&")
    .filter((part) => part !== "" && !part.startsWith(`${CHOICE}=`));
  const tail = rest.length === 0 ? name : `${name}?${rest.join("&")}`;
  return hosts.split(",").map((host) => {
    if (host === "") throw new OperatorFault(`the database URL ${EXPECTED}.`);
    return `${scheme}${user}${host}${tail}`;
  });
}

const CHOICE = "target_session_attrs";

const EXPECTED =
  "must be like postgres://user:password@host:5432/database, with host:port,host:port for several servers";
