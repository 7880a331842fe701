import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { startPostgres } from "../support/postgres-server.ts";
import { ServerProcess } from "../support/server-process.ts";
import { fillServer } from "./fill-server.ts";
import { COMMANDS, dump, keep, newDirectory, packDirectory, SECRET_KEY } from "./fixtures.ts";

/**
 * Makes the fixture of a version: `node bin/bun.mjs test/upgrade/make-fixture.ts [DIRECTORY [NAME]]`. The
 * directory is a checkout of that version with its node_modules; without one it is this one.
 */
const [given = join(import.meta.dir, "../.."), name] = process.argv.slice(2);
const checkout = resolve(given);
const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8"));
const kept = name ?? version;
const main = join(checkout, "src/cli/main.ts");
mkdirSync(join(import.meta.dir, "fixtures", kept), { recursive: true });
const directory = newDirectory();
try {
  await bundle();
  const data = join(directory, "data");
  const filled = await filledBy({ data });
  keep(kept, "data.tar", packDirectory(data));
  await using postgres = await startPostgres();
  const { url } = await postgres.lendDatabase();
  const postgresFilled = await filledBy({ "database-url": url });
  keep(kept, "postgres.sql", dump(url));
  keep(kept, "filled.json", JSON.stringify({ directory: filled, postgres: postgresFilled }));
} finally {
  rmSync(directory, { recursive: true });
}

async function filledBy(flags: Record<string, string>) {
  const server = await ServerProcess.start({
    main,
    commands: COMMANDS,
    flags: { ...flags, "secret-key": SECRET_KEY },
  });
  try {
    return await fillServer(server);
  } finally {
    await server.stop();
  }
}

/** The server as one file, for the tests of the next release to run beside theirs. */
async function bundle(): Promise<void> {
  const { outputs } = await Bun.build({ entrypoints: [main], target: "bun", minify: true });
  const [output] = outputs;
  if (output === undefined) throw new Error("the server could not be bundled");
  keep(kept, "server.js", Buffer.from(await output.arrayBuffer()));
}
