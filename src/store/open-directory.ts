export { lockDirectory } from "./sqlite/sqlite-lock.ts";
export { restoreRefusal } from "./sqlite/sqlite-restore.ts";
export type { AdoptedFrom } from "./sqlite/sqlite-owner.ts";
