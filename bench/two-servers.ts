import { ManualClock } from "../test/support/manual-clock.ts";
import { startPostgres } from "../test/support/postgres-server.ts";
import { startStill } from "../test/support/still-servers.ts";
import { until } from "../test/support/until.ts";

// `node bin/bun.mjs bench/two-servers.ts`: how long a take that waits on one server waits for a job that is
// submitted on the other, counted from before the submission. The clocks stand still, so no server polls.
const ROUNDS = 500;

await using postgres = await startPostgres();
const { url } = await postgres.lendDatabase();
const clock = new ManualClock();
const flags = { "database-url": url, "secret-key": "the same on both" };
const [a, b] = [await startStill(clock, flags), await startStill(clock, flags)];
const endpoint = await a.endpoint();
const worker = await a.worker(endpoint);
await until("b knows it", () => b.forebay.engine.configuration.get("endpoint", endpoint));
const waits: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const taken = worker.take();
  await until("it waits", () => a.forebay.engine.parkedTakes.endpoints().includes(endpoint));
  const startedAt = performance.now();
  await b.run(endpoint);
  const { json } = await taken;
  waits.push(performance.now() - startedAt);
  await worker.done(json.id, { output: 1 });
}
await a.stop();
await b.stop();
waits.sort((one, other) => one - other);
const at = (part: number): string => (waits[Math.floor(ROUNDS * part)] ?? NaN).toFixed(1);
console.log(`${ROUNDS} jobs: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1 - 1 / ROUNDS)} ms`);
