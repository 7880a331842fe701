export { type Manifest, readBackup } from "../store/back-up-directory.ts";
