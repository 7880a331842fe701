import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { ServerProcess } from "../support/server-process.ts";
import { suiteDatabases } from "../support/suite-postgres.ts";
import { dump, fixtures, layServer, newDirectory } from "./fixtures.ts";

const SENTENCE =
  "forebay serve: This data was written by Forebay 0.3.0 or later (schema 99). " +
  "Start Forebay 0.3.0 or newer, or restore a backup made before the upgrade.\n";

const KEY = ["--secret-key", "the same"];
const postgres = suiteDatabases();

test("a directory of a newer Forebay is refused by a sentence, with code 2, and stays as it is", async () => {
  const root = newDirectory();
  const data = join(root, "data");
  const server = await ServerProcess.start({ flags: { data, "secret-key": "the same" } });
  await server.run(await server.endpoint());
  await server.stop();
  const database = new Database(join(data, "forebay.db"));
  database.run("PRAGMA user_version = 99");
  database.run("UPDATE required SET version = '0.3.0'");
  database.close();
  const before = filesOf(data);

  expect(await started("--data", data)).toEqual({ status: 2, stdout: "", stderr: SENTENCE });
  expect(filesOf(data)).toEqual(before);
  rmSync(root, { recursive: true });
}, 30_000);

test("a PostgreSQL of a newer Forebay is refused by a sentence, with code 2, and unchanged", async () => {
  const { url, giveBack } = await postgres().lendDatabase();
  const server = await ServerProcess.start({ flags: { "database-url": url, "secret-key": "the same" } });
  await server.run(await server.endpoint());
  await server.stop();
  const name = new URL(url).pathname.slice(1);
  await postgres().run("UPDATE forebay.schema SET version = 98, migrations = 99, requires = '0.3.0'", name);
  const before = dump(url);
  const root = newDirectory();

  const words = ["--data", join(root, "data"), "--database-url", url];
  expect(await started(...words)).toEqual({ status: 2, stdout: "", stderr: SENTENCE });
  expect(dump(url)).toBe(before);
  rmSync(root, { recursive: true });
  await giveBack();
}, 30_000);

test("a server of 0.1.0 refuses a PostgreSQL that this version has upgraded", async () => {
  const { url, giveBack } = await postgres().lendDatabase();
  const server = await ServerProcess.start({ flags: { "database-url": url } });
  await server.stop();
  const root = newDirectory();
  const [oldest] = fixtures();
  const main = layServer(oldest?.version ?? "", root);
  const old = Bun.spawn(
    [process.execPath, main, "serve", "--data", join(root, "data"), "--database-url", url, ...KEY],
    { stdout: "ignore", stderr: "pipe" },
  );
  expect(await new Response(old.stderr).text()).toContain("written by a newer Forebay (schema 10");
  expect(await old.exited).toBe(2);
  rmSync(root, { recursive: true });
  await giveBack();
}, 30_000);

async function started(...words: string[]) {
  const port = String(await freePort());
  return new ForebayCommand(["serve", "--port", port, ...KEY, ...words]).ended();
}

/** The files with their digests. */
function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .toSorted()
    .filter((path) => statSync(join(directory, path)).isFile())
    .map(
      (path) =>
        `${path} ${createHash("sha256")
          .update(readFileSync(join(directory, path)))
          .digest("hex")}`,
    );
}
