export { inspectPostgres } from "./postgres/postgres-inspect.ts";
export { inspectSqlite } from "./sqlite/sqlite-inspect.ts";
