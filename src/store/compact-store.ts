export { type Compacted, compactSqlite as compactStore } from "./sqlite/sqlite-compact.ts";
