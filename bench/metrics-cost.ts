import { newMeters } from "../src/domain/meters.ts";
import { statistics } from "../src/engine/statistics/statistics.ts";
import { countAnswer } from "../src/http/server.ts";
import { processVitals } from "../src/process-vitals.ts";
import { newMemoryDatabase } from "../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../src/store/memory/memory-store.ts";
import type { Signal } from "../src/store/store.ts";
import { NO_DISK } from "../test/support/no-vitals.ts";

// What counting costs on the way of a request and of a job, ns: `node bin/bun.mjs bench/metrics-cost.ts`.
// Each loop runs a million times, five times over; the fastest counts, because others use the machine too.
const CALLS = 1_000_000;
const ROUNDS = 5;

function cost(call: (n: number) => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const startedAt = performance.now();
    for (let n = 0; n < CALLS; n++) call(n);
    return performance.now() - startedAt;
  });
  return Math.round((Math.min(...rounds) * 1e6) / CALLS);
}

const meters = newMeters(processVitals(), NO_DISK);
const routes = Array.from({ length: 60 }, (_, n) => `/v2/{endpoint}/operation-${n}`);
const request = cost((n) => {
  const cameAt = performance.now();
  countAnswer(meters, routes[n % routes.length] ?? "", 200, performance.now() - cameAt + (n % 100));
});

const store = await openMemoryStore({ database: newMemoryDatabase() });
const clock = { now: () => 1_800_000_000_000, after: () => () => undefined };
const counted = statistics({ server: "bench", store, clock });
const changes = Array.from({ length: 30 }, (_, n): Signal[] => {
  const event = (["enqueue", "take", "complete"] as const)[n % 3] ?? "take";
  const worker = event === "enqueue" ? undefined : "worker";
  return [{ event, endpoint: `endpoint-${n % 10}`, id: "job", worker, lasted: n * 17 }];
});
const change = cost((n) => counted.follow(changes[n % changes.length] ?? [], true));
console.log(`a request: ${request} ns (limit: 500)\na change of a job: ${change} ns`);
meters.vitals.stop();
await store.close();
process.exit(request > 500 ? 1 : 0);
