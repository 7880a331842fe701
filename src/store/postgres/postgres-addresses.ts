import { OperatorFault } from "../../domain/operator-fault.ts";

/**
 * One address for each server of a database: `postgres://user@a,b:5433/name` names two. What libpq would be
 * told about the choice among them (`target_session_attrs`) is left out: it is always the one that writes.
 * Throws one sentence when it is no such URL.
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
