// pgmq behind Fastify, from its SQL file.
import { readFile } from "node:fs/promises";
import pg from "pg";
import { serveFront } from "./front.mjs";
import { openResults } from "./results-table.mjs";

const [port, url, sql] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 32 });
await pool.query("CREATE SCHEMA pgmq");
await pool.query((await readFile(sql, "utf8")).replace(/^.*pg_extension_config_dump.*$/gm, ""));
await pool.query("SELECT pgmq.create('bench')");
const results = await openResults(pool);
await serveFront(
  Number(port),
  async (body) => {
    const values = [JSON.stringify(body)];
    const { rows } = await pool.query({
      name: "send",
      text: "SELECT pgmq.send('bench', $1::jsonb) AS id",
      values,
    });
    return rows[0].id;
  },
  (id) => results.get(id),
);
