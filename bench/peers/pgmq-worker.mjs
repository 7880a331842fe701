// Runs no-op jobs in batches: stores their results, then deletes their messages.
import pg from "pg";
import { openResults } from "./results-table.mjs";

const [url, batchSize, loops] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 16 });
const results = await openResults(pool);
const output = { text: "y".repeat(100) };

async function work() {
  for (;;) {
    const text = "SELECT msg_id, message FROM pgmq.read('bench', 60, $1)";
    const { rows } = await pool.query({ name: "read", text, values: [Number(batchSize)] });
    if (rows.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      continue;
    }
    await Promise.all(rows.map(({ msg_id }) => results.add(msg_id, output)));
    const values = [rows.map(({ msg_id }) => msg_id)];
    await pool.query({ name: "delete", text: "SELECT pgmq.delete('bench', $1::bigint[])", values });
  }
}

for (let loop = 0; loop < Number(loops); loop++) void work();
console.log("ready");
