import { SQL } from "bun";
import { type PostgresDatabases, startPostgres } from "./postgres-server.ts";

/** The server that TEST_DATABASE_URL names, as a user who may create databases; else one of our own. */
export async function anyPostgres(): Promise<PostgresDatabases> {
  const given = process.env["TEST_DATABASE_URL"];
  return given === undefined ? startPostgres() : givenPostgres(given);
}

/** Every database is a new one, and goes at the end: others may use the server. */
function givenPostgres(given: string): PostgresDatabases {
  const made: string[] = [];
  const home = new URL(given).pathname.slice(1);

  function url(database: string): string {
    const address = new URL(given);
    address.pathname = `/${database === "postgres" ? home : database}`;
    return address.href;
  }

  async function run<Row>(text: string, database = home): Promise<Row[]> {
    const connection = new SQL(url(database), { max: 1 });
    try {
      return await connection.unsafe(text);
    } finally {
      await connection.close();
    }
  }

  const drop = (name: string): Promise<unknown> => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);

  return {
    url,
    run,
    async lendDatabase() {
      const name = `forebay_test_${crypto.randomUUID().replaceAll("-", "")}`;
      await run(`CREATE DATABASE ${name}`);
      made.push(name);
      return {
        url: url(name),
        giveBack: async () => {
          await drop(name);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      for (const name of made) await drop(name);
    },
  };
}
