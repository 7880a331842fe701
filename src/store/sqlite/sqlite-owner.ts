import type { Database } from "./sqlite-driver.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** The server that opens a database. */
export interface Owner {
  readonly server: string;
  /** Whether it has stored data in this directory before. */
  readonly hasServed: boolean;
  /** Whether it takes over the data of another server. */
  readonly adopts: boolean;
  /** Called after that, with the names that the other server keeps. */
  readonly onAdopted: (from: AdoptedFrom) => void;
}

export interface AdoptedFrom {
  /** Undefined if version 0.1 has written the data. */
  readonly server: string | undefined;
  readonly deployment: string | undefined;
}

interface Found extends AdoptedFrom {
  readonly isForeign: boolean;
}

/** Finds the owner of the data. Changes nothing. Throws a sentence if it is another server. */
export function foundOwner(database: Database, owner: Owner, directory: string): Found {
  const { server, deployment } = ownerIn(database);
  // A database file of version 0.1 names no server, but its deployment.
  const isBare = server === undefined && deployment !== undefined && !owner.hasServed;
  const isForeign = isBare || (server !== undefined && server !== owner.server);
  if (isForeign && !owner.adopts) {
    throw new OperatorFault(
      `The database in ${directory} is a copy: a server in another directory has written it, and may ` +
        "still run. Restore whole directories, or start the server once with --adopt-data: it then gets " +
        "a name of its own, and does not touch the workers and containers of the original.",
    );
  }
  if (isForeign) refuseDamaged(database, directory);
  return { server, deployment, isForeign };
}

/** The server that the database names, and its deployment. */
export function ownerIn(database: Database): AdoptedFrom {
  const server = hasTable(database, "owner")
    ? database.query<{ server: string }, []>("SELECT server FROM owner").get()?.server
    : undefined;
  return { server, deployment: hasTable(database, "record") ? deploymentIn(database) : undefined };
}

/** A database that was copied while its server wrote can be damaged. */
function refuseDamaged(database: Database, directory: string): void {
  const found = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
  if (found === "ok") return;
  throw new OperatorFault(
    `The database in ${directory} is damaged: it was probably copied while its server ran. ` +
      `Stop that server, then copy the directory again. (SQLite: ${found})`,
  );
}

/**
 * Stores the owner of the data. Adopted data gets a new name for its deployment, so that this server never
 * takes containers of the original for its own.
 */
export function claim(database: Database, owner: Owner, found: Found): void {
  if (!found.isForeign && found.server === owner.server) return;
  database
    .transaction(() => {
      if (found.isForeign) database.run("DELETE FROM record WHERE kind = 'deployment'");
      database.run("DELETE FROM owner");
      database.run("INSERT INTO owner (server) VALUES (?1)", [owner.server]);
    })
    .immediate();
  if (found.isForeign) owner.onAdopted(found);
}

const DEPLOYMENT = `
  SELECT json_extract(body, '$.name') AS name FROM record WHERE kind = 'deployment' AND body IS NOT NULL`;

function deploymentIn(database: Database): string | undefined {
  return database.query<{ name: string }, []>(DEPLOYMENT).get()?.name;
}

function hasTable(database: Database, name: string): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1").get(name) !== null;
}
