import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";

describe("a database that cannot be used is one sentence with exit code 2", () => {
  let postgres: PostgresServer;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    postgres = await startPostgres();
    const hba = join(postgres.directory, "data/pg_hba.conf");
    const rules = ["host all locked 127.0.0.1/32 scram-sha-256", readFileSync(hba, "utf8")];
    writeFileSync(hba, rules.join("\n"));
    await postgres.run("CREATE ROLE locked LOGIN PASSWORD 'right'");
    await postgres.run("SELECT pg_reload_conf()");
  });
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  test.each([
    [
      "a wrong password",
      "locked:wrong@HOST/postgres",
      "Check the user and the password in the database URL.",
    ],
    [
      "a user that does not exist",
      "nobody@HOST/postgres",
      "Check the user and the password in the database URL.",
    ],
    [
      "a database that does not exist",
      "forebay@HOST/none",
      "Create the database, or correct its name in the URL.",
    ],
    ["a user who may not create a schema", "locked:right@HOST/postgres", "Allow the user to create a schema"],
    [
      "TLS that the server does not have",
      "forebay@HOST/postgres?sslmode=require",
      "Check sslmode in the database URL",
    ],
    [
      "a port that nothing listens on",
      "forebay@127.0.0.1:1/postgres",
      "Check that it runs, and its host and port.",
    ],
    [
      "several hosts, and none of them there",
      "forebay@127.0.0.1:1,127.0.0.1:2/postgres",
      "Check that it runs",
    ],
    ["an address without a host", "/postgres", "must be like postgres://user:password@host:5432/database"],
    ["a choice that Forebay cannot use", "u@HOST/d?target_session_attrs=any", "Forebay needs read-write"],
  ])("%s", async (_name, address, sentence) => {
    const url = `postgres://${address.replace("HOST", `127.0.0.1:${postgres.port}`)}`;
    const words = ["serve", "--port", "0", "--data", join(directory.path, "data"), "--database-url", url];
    const { status, stdout, stderr } = await new ForebayCommand(words).ended();
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining(sentence)]);
    expect(stderr).toMatch(/^forebay serve: .*\.\n$/);
    expect(stderr).not.toMatch(/wrong@|right@/);
  });
});
