import { join } from "node:path";
import { joinForebayUnderTest, startForebayUnderTest } from "./forebay.ts";
import { startMeasuredPostgres } from "./measured-postgres.ts";
import { MeasuredProcess } from "./measured-process.ts";
import type { RoundTrip } from "./round-trip.ts";

/** Jobs that run at a time, over all workers: between the 200 that pgmq and pg-boss fetch and River's 500. */
const CONCURRENCY = 256;

/** Forebay servers on one PostgreSQL, each with a worker of its own library. */
export function forebayServers(count: number): RoundTrip {
  return {
    name: `Forebay, ${count} ${count === 1 ? "server" : "servers"}`,
    async start() {
      const database = await startMeasuredPostgres();
      const settings = { "database-url": database.url, "run-retention-ms": "60000" };
      const first = await startForebayUnderTest(settings);
      const others = Array.from({ length: count - 1 }, () => joinForebayUnderTest(first, settings));
      const servers = [first, ...(await Promise.all(others))];
      const script = join(import.meta.dir, "load/sdk-worker.mjs");
      const each = ["0", String(CONCURRENCY / count)];
      const workers = servers.map(
        ({ workerEnv }) =>
          new MeasuredProcess([process.execPath, script, ...each], {
            ...workerEnv,
            FOREBAY_PROTOCOL: "exchange",
          }),
      );
      await Promise.all(workers.map((worker) => worker.line("ready")));
      return {
        ports: servers.map(({ port }) => port),
        path: `/v2/${first.endpoint}/run`,
        statusPath: `/v2/${first.endpoint}/status`,
        key: first.key,
        servers: servers.map(({ server }) => server),
        stores: [database],
        workers,
        clean: async () => void (await Promise.all(servers.map(({ clean }) => clean()))),
      };
    },
  };
}
