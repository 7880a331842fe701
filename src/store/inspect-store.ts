export { findPostgresDamage } from "./postgres/postgres-find-damage.ts";
export type { SchemaState } from "./postgres/postgres-migrate.ts";
export { inspectPostgres } from "./postgres/postgres-inspect.ts";
export { newerData } from "./schema-releases.ts";
export { findSqliteDamage } from "./sqlite/sqlite-find-damage.ts";
export { inspectSqlite } from "./sqlite/sqlite-inspect.ts";
