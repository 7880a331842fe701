// graphile-worker behind Fastify.
import { makeWorkerUtils } from "graphile-worker";
import pg from "pg";
import { serveFront } from "./front.mjs";
import { openResults } from "./results-table.mjs";

const [port, url] = process.argv.slice(2);
const pgPool = new pg.Pool({ connectionString: url, max: 32 });
pgPool.on("error", () => {});
const utils = await makeWorkerUtils({ pgPool });
await utils.migrate();
const results = await openResults(pgPool);
await serveFront(
  Number(port),
  async (body) => (await utils.addJob("job", body)).id,
  (id) => results.get(id),
);
