export { sqliteOfflineBackup as backUpDirectory } from "./sqlite/sqlite-offline-backup.ts";
export { restoreSqlite as restoreDirectory } from "./sqlite/sqlite-restore.ts";
export type { Manifest } from "./backup/manifest.ts";
export { readBackup } from "./backup/read-backup.ts";
