import { afterEach, beforeEach, expect, test } from "bun:test";
import { seededRandom } from "../crash/seeded-random.ts";
import { imageEndpoint } from "../support/docker-server.ts";
import { SEED } from "../support/seed.ts";
import { until } from "../support/until.ts";
import { GpuHosts, IMAGE } from "./gpu-hosts.ts";

const ROUNDS = Number(process.env["KILLS"] ?? 30);
const NAMES = ["gpu-1", "gpu-2"] as const;
const CARDS = 4;
const WORKERS = NAMES.length * CARDS;
const HOST_TIMEOUT = 3_000;

/** How long the fleet may take until it is whole again, ms. */
const REST = 120_000;
const LIMIT = (ROUNDS + 2) * REST;

const EVENTS = ["worker", "server", "engine", "cut", "drain", "release"] as const;

let hosts: GpuHosts;
let faults: string[];
beforeEach(async () => {
  faults = [];
  hosts = await GpuHosts.start(NAMES, CARDS, {
    "host-timeout-ms": String(HOST_TIMEOUT),
    "worker-lease-ms": "1500",
    "drain-grace-ms": "500",
  });
}, LIMIT);
afterEach(() => hosts[Symbol.asyncDispose](), LIMIT);

/** The devices of the containers that run on a host, each with its worker. */
async function held(name: string): Promise<string[] | undefined> {
  const running = await hosts.running(name).catch(() => undefined);
  const given = hosts.given(name);
  const all = running?.flatMap((worker) => (given.get(worker) ?? []).map((device) => `${device} ${worker}`));
  const devices = new Set(all?.map((one) => one.split(" ")[0]));
  if (all !== undefined && devices.size < all.length) faults.push(`twice: ${all.join(", ")}`);
  return all;
}

/** Looks at both engines until the signal comes. */
async function watch(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await Promise.all(NAMES.map(held));
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** All workers run and have called, and the ledger says the same as both engines. */
async function isWhole(endpoint: string): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (const name of NAMES) {
    const ledger = [...(await hosts.ledger(name))].map((row) => row.join(" "));
    const running = await held(name);
    if (running?.length !== CARDS || ledger.toSorted().join() !== running.toSorted().join()) return false;
  }
  const { workers } = await hosts.server.health(endpoint);
  return workers.idle + workers.running === WORKERS;
}

test(
  `${ROUNDS} losses of workers, server, engines and hosts: no device has two workers (SEED=${SEED})`,
  async () => {
    const random = seededRandom(SEED);
    const all = { gpuCount: 1, workersMin: WORKERS, workersMax: WORKERS, idleTimeout: 1 };
    const endpoint = await imageEndpoint(hosts.server, IMAGE, all);
    const whole = (after: string) =>
      until(`the fleet is whole after ${after}`, () => isWhole(endpoint), REST).then(() =>
        expect(faults).toEqual([]),
      );
    await whole("the start");

    const happen: Readonly<Record<(typeof EVENTS)[number], (name: string, round: number) => Promise<void>>> =
      {
        async worker(name) {
          const [worker] = await hosts.running(name);
          await hosts.host(name).engine.ask("POST", `/containers/forebay-${worker}/kill?signal=KILL`);
        },
        async server() {
          await hosts.server.kill();
          await hosts.server.startAgain();
        },
        async engine(name) {
          await hosts.host(name).engine.kill();
          await hosts.host(name).engine.startAgain();
        },
        async cut(name) {
          hosts.host(name).line.cut();
          const isAway = async () => (await hosts.server.get(`/v1/hosts/${name}`)).json.away !== undefined;
          await until("the host is away", isAway, REST);
          await new Promise((resolve) => setTimeout(resolve, random.integer(0, 2 * HOST_TIMEOUT)));
          hosts.host(name).line.mend();
        },
        async drain(name) {
          await hosts.drain(name, true);
          await new Promise((resolve) => setTimeout(resolve, random.integer(0, 3_000)));
          await hosts.drain(name, false);
        },
        async release(_, round) {
          const fields = { env: { ROUND: String(round) } };
          const { status } = await hosts.server.call("PATCH", `/v1/endpoints/${endpoint}`, fields);
          expect(status).toBe(200);
        },
      };
    const end = new AbortController();
    const watching = watch(end.signal);
    const recoveries: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const event = EVENTS[round % EVENTS.length] ?? "worker";
      const at = performance.now();
      await happen[event](random.pick(NAMES), round);
      await whole(event);
      recoveries.push(performance.now() - at);
    }
    end.abort();
    await watching;
    expect(faults).toEqual([]);
    const seconds = recoveries.toSorted((a, b) => a - b).map((ms) => (ms / 1_000).toFixed(1));
    const median = seconds[Math.floor(seconds.length / 2)];
    process.stdout.write(`${ROUNDS} losses, whole after ${median} s (median), ${seconds.at(-1)} s (most)\n`);
  },
  LIMIT,
);
