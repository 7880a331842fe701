import { NO_HANDLER } from "./no-handler.ts";
import { runFile } from "./run-file.ts";

// What `forebay dev` runs for a handler in TypeScript or JavaScript.
const [file = ""] = process.argv.slice(2);

await runFile(file, () => process.exit(NO_HANDLER));
