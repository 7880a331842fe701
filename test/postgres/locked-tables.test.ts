import { expect, test } from "bun:test";
import { SQL } from "bun";
import { suitePostgres } from "../support/suite-postgres.ts";
import { TestServer } from "../support/test-server.ts";

/** So many calls of each kind come together, more than there are connections. */
const CALLS = 20;

const postgres = suitePostgres();

test("calls about a table answer 503 with Retry-After while somebody has it locked", async () => {
  const { url } = await postgres().lendDatabase();
  const server = await TestServer.start({ flags: { "database-url": url } });
  const endpoint = await server.endpoint();
  const job = await server.run(endpoint);
  const admin = new SQL(url, { max: 1 });
  const holder = await admin.reserve();
  await holder.unsafe("BEGIN");
  await holder.unsafe("LOCK TABLE forebay.job IN ACCESS EXCLUSIVE MODE");

  const requests = [
    ["GET", `/v2/${endpoint}/status/${job}`],
    ["GET", `/v2/${endpoint}/requests`],
    ["GET", `/v1/endpoints/${endpoint}/jobs/${job}`],
    ["POST", `/v2/${endpoint}/run`, { input: {} }],
    ["POST", `/v2/${endpoint}/runsync`, { input: {} }],
    ["POST", `/v2/${endpoint}/cancel/${job}`],
    ["POST", `/v2/${endpoint}/retry/${job}`],
    ["POST", `/v2/${endpoint}/purge-queue`],
    ["GET", `/v2/${endpoint}/stream/${job}`],
  ] as const;
  const answers = await Promise.all(
    requests.flatMap(([method, path, body]) => {
      const count = path.endsWith("purge-queue") || path.endsWith("requests") ? 2 : CALLS;
      return Array.from({ length: count }, async () => {
        const { status, json, headers } = await server.call(method, path, body);
        return [path, status, json.code, headers.get("retry-after")];
      });
    }),
  );
  expect(answers).toEqual(answers.map(([path]) => [path, 503, "STORAGE_UNAVAILABLE", "1"]));

  await holder.unsafe("ROLLBACK");
  await holder.release();
  await admin.close();
  expect((await server.get(`/v2/${endpoint}/status/${job}`)).json.status).toBe("IN_QUEUE");
  // What background jobs could not do meanwhile is in the log.
  await server.forebay.stop();
});
