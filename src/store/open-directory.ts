export { lockDirectory } from "./sqlite/sqlite-lock.ts";
export type { AdoptedFrom } from "./sqlite/sqlite-owner.ts";
