import { checkServer, explained, postgresAccess, withoutPassword } from "./postgres-boot.ts";
import { openConnection, type SingleConnection } from "./postgres-driver.ts";
import { readSchema, type SchemaState } from "./postgres-migrate.ts";
import { SCHEMA_VERSION } from "./postgres-schema.ts";

/** What a database says of itself to one that only looks. */
export interface InspectedPostgres {
  /** Without user and password. */
  readonly where: string;
  readonly version: string;
  readonly maxConnections: number;
  /** Those in use, by whomever. */
  readonly connections: number;
  /** Undefined before the first start of a server. */
  readonly schema: SchemaState | undefined;
  readonly knownSchema: number;
  /** Of the database, with its indexes and what waits to be vacuumed. */
  readonly bytes: number;
  /** Its clock, ms since 1970. */
  readonly time: number;
}

/** What a server needs of its database, without changing anything. Throws one sentence. */
export async function inspectPostgres(url: string): Promise<InspectedPostgres> {
  const connection = openConnection(await postgresAccess(url));
  try {
    await checkServer(connection);
    const { version, most, used, bytes, time } = await stateOf(connection);
    const schema = await schemaOf(connection);
    const known = { where: withoutPassword(url), knownSchema: SCHEMA_VERSION };
    return { ...known, version, maxConnections: most, connections: used, schema, bytes, time };
  } catch (error) {
    throw explained(error, url);
  } finally {
    await connection.close();
  }
}

interface State {
  readonly version: string;
  readonly most: number;
  readonly used: number;
  readonly bytes: number;
  readonly time: number;
}

async function stateOf(connection: SingleConnection): Promise<State> {
  const [state] = await connection.query<State>(
    `SELECT current_setting('server_version') AS version,
            current_setting('max_connections')::integer AS most,
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS used,
            pg_database_size(current_database())::float8 AS bytes,
            (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time`,
  );
  if (state === undefined) throw new Error("the database said nothing about itself");
  return state;
}

async function schemaOf(connection: SingleConnection): Promise<SchemaState | undefined> {
  const [found] = await connection.query<{ present: boolean }>(
    "SELECT to_regclass('forebay.schema') IS NOT NULL AS present",
  );
  return found?.present === true ? readSchema(connection) : undefined;
}
