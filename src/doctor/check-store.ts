import { resolve } from "node:path";
import { type Config, IN_MEMORY } from "../config/config.ts";
import { hasServed } from "../data/data-directory.ts";
import { inspectPostgres, inspectSqlite, newerData, type SchemaState } from "../store/offline-store.ts";
import { thisMachine } from "../host/system-clock.ts";
import { compareClocks } from "./check-clock.ts";
import { fault, type Finding, ok, sentenceOf, warn } from "./finding.ts";

const PART = "store";

/** The connections of one server, the listening one included, with some for the overlap of a restart. */
const CONNECTIONS = 13;

/** Checks the data, in the directory or in PostgreSQL. It only reads. */
export async function checkStore({ data, databaseUrl }: Config): Promise<Finding[]> {
  try {
    if (databaseUrl !== "") return await checkPostgres(databaseUrl);
    return data === IN_MEMORY ? [] : await checkSqlite(resolve(data));
  } catch (error) {
    return [fault(PART, sentenceOf(error), "The server cannot start until this is fixed.")];
  }
}

async function checkSqlite(directory: string): Promise<Finding[]> {
  const found = await inspectSqlite(directory, await hasServed(directory));
  if (found === undefined) return [ok(PART, `there is no data in ${directory} yet`)];
  const { isInUse, wasKilled } = found;
  const use = isInUse ? "a running server uses it" : "no server uses it";
  const end = wasKilled ? "; the last one was killed, and the next one continues from the durable data" : "";
  const { requires } = found;
  const schema =
    found.schema === undefined
      ? []
      : [schemaFinding({ migrations: found.schema, serves: found.schema, requires }, found.knownSchema)];
  return [ok(PART, `${directory}: ${use}${end}`), ...schema];
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const asked = thisMachine.wall();
  const found = await inspectPostgres(url);
  const answered = thisMachine.wall();
  const { where, version, maxConnections, connections, schema, knownSchema, time } = found;
  const use = `${connections} of ${maxConnections} connections are in use, and a server needs ${CONNECTIONS}`;
  const mend = "Set both clocks with NTP. Jobs use the clock of the database.";
  return [
    ok(PART, `${where}: PostgreSQL ${version}, and its commits are durable`),
    maxConnections - connections < CONNECTIONS
      ? warn(PART, use, "Raise max_connections of the database.")
      : ok(PART, use),
    schema === undefined
      ? ok(PART, "it has no data of Forebay yet: the first start creates the tables")
      : schemaFinding(schema, knownSchema),
    compareClocks({ part: PART, asked, time, answered, mend }),
  ];
}

function schemaFinding(schema: SchemaState, known: number): Finding {
  const { migrations, serves, requires } = schema;
  if (serves > known) {
    const { says, mend } = newerData(migrations, requires);
    return fault(PART, says, mend);
  }
  if (migrations > known) {
    return ok(PART, `its schema is ${migrations}, of a newer Forebay, and this version can work with it`);
  }
  if (migrations === known) return ok(PART, `its schema is that of this version (${known})`);
  const said = `its schema is ${migrations}: the next start upgrades it to ${known}`;
  return warn(PART, said, "Back it up first.");
}
