import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import { ranFiles } from "./marked-sources.ts";

// Prints the files of src that have a function which runs between the request of a client's `run` and the
// COMMIT that stores the job and hands it to a worker that waits. Time stands still: no background job runs.

/** Jobs before the first that counts, so that caches are filled. */
const EARLIER_JOBS = 5;

/** Only what runs for each of these is on the path: timers of the process run for some of them as well. */
const JOBS = 20;

let committed: readonly string[] = [];

/** From here on `committed` has the files that ran before the last COMMIT. */
function noteCommits(): void {
  const { prepare } = Database.prototype;
  Object.assign(Database.prototype, {
    prepare(this: Database, sql: string) {
      const statement = prepare.call(this, sql);
      if (sql !== "COMMIT") return statement;
      const { run } = statement;
      return Object.assign(statement, {
        run() {
          const changes = run.call(statement);
          committed = ranFiles();
          return changes;
        },
      });
    },
  });
}

const directory = mkdtempSync(join(tmpdir(), "forebay-path-"));
noteCommits();
const server = await TestServer.start({ clock: new ManualClock(), flags: { data: join(directory, "data") } });
const endpoint = await server.endpoint();
const worker = await server.worker(endpoint);
let onPath: readonly string[] | undefined;
for (let job = 0; job < EARLIER_JOBS + JOBS; job++) {
  const taking = worker.take();
  await until("the worker waits", () => server.forebay.engine.parkedTakes.endpoints().includes(endpoint));
  ranFiles();
  await server.run(endpoint, { n: job });
  const files = committed;
  const { json } = await taking;
  await worker.done(json.id, { output: { n: job } });
  if (job >= EARLIER_JOBS) onPath = onPath?.filter((file) => files.includes(file)) ?? files;
}
process.stdout.write(JSON.stringify(onPath?.toSorted()));
await server.stop();
rmSync(directory, { recursive: true });
