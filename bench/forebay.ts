import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Contestant, Running } from "./contestant.ts";
import { type MeasuredPostgres, startMeasuredPostgres } from "./measured-postgres.ts";
import { MeasuredProcess } from "./measured-process.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

const KEY = "bench-key-0123456789";
const NO_LIMIT = { requests: 100_000_000, concurrent: 100_000 };

/** A Forebay server with an endpoint and the environment of its workers. */
export interface ForebayUnderTest {
  readonly server: MeasuredProcess;
  readonly port: number;
  readonly endpoint: string;
  readonly key: string;
  readonly workerEnv: Readonly<Record<string, string>>;
  clean(): Promise<void>;
}

/** `settings` are flags beside those of every benchmark, without their dashes. */
export async function startForebayUnderTest(settings: Settings = {}): Promise<ForebayUnderTest> {
  const { server, port, clean } = await startServer(settings);
  const call = async (path: string, body: object): Promise<Record<string, never>> => {
    const headers = { authorization: KEY, "content-type": "application/json" };
    const url = `http://127.0.0.1:${port}${path}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Record<string, never>;
  };
  // Limits that no load reaches: what is measured passes the limiter as every request does.
  const rateLimits = { run: NO_LIMIT, runsync: NO_LIMIT, status: NO_LIMIT, stream: NO_LIMIT };
  const endpoint = String((await call("/v1/endpoints", { name: "bench", rateLimits }))["id"]);
  const admitted = await call(`/v1/endpoints/${endpoint}/workers`, { many: true });
  return { server, port, endpoint, key: KEY, workerEnv: admitted["env"] ?? {}, clean };
}

/** One more server on the database of the first, told of by the same settings. */
export async function joinForebayUnderTest(
  first: ForebayUnderTest,
  settings: Settings,
): Promise<ForebayUnderTest> {
  const { server, port, clean } = await startServer(settings);
  const health = `http://127.0.0.1:${port}/v2/${first.endpoint}/health`;
  const isKnown = async () => (await fetch(health, { headers: { authorization: KEY } })).ok;
  for (let tries = 100; !(await isKnown()); tries--) {
    if (tries === 0) throw new Error("waited 10 s for a server to know the endpoint of another");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const urls = Object.entries(first.workerEnv).map(([name, value]) => [
    name,
    value.replace(`:${first.port}/`, `:${port}/`),
  ]);
  return { ...first, server, port, workerEnv: Object.fromEntries(urls), clean };
}

type Settings = Readonly<Record<string, string>>;

async function startServer(settings: Settings) {
  const directory = temporaryDirectory("forebay-bench-");
  const main = join(import.meta.dir, "../src/cli/main.ts");
  // Results expire within the run, so that forgetting them is part of the figure.
  const given = { port: "0", data: join(directory, "data"), "run-retention-ms": "2000", ...settings };
  const flags = Object.entries(given).flatMap(([flag, value]) => [`--${flag}`, value]);
  const server = new MeasuredProcess([process.execPath, main, "serve", ...flags], {
    FOREBAY_ADMIN_KEY: KEY,
    FOREBAY_DEMO: "false",
    FOREBAY_SECRET_KEY: KEY,
  });
  const url = /http:\S+/.exec(await server.line("forebay ready on"))?.[0] ?? "";
  return {
    server,
    port: Number(new URL(url).port),
    clean: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Forebay with 64 workers that speak the public protocol. */
export const FOREBAY_PUBLIC: Contestant = {
  name: "Forebay on SQLite, public protocol",
  async start(jobs) {
    const forebay = await startForebayUnderTest();
    const { endpoint, port, workerEnv } = forebay;
    const script = join(import.meta.dir, "load/public-workers.ts");
    const token = workerEnv["RUNPOD_AI_API_KEY"] ?? "";
    const workers = new MeasuredProcess([
      process.execPath,
      script,
      String(port),
      endpoint,
      token,
      String(jobs),
    ]);
    return running(forebay, workers);
  },
};

/** Forebay with one worker of its own library, 64 jobs at a time, on this runtime. */
export function forebaySdk(
  runtime: "Bun" | "Node",
  protocol: "exchange" | "public",
  store: "SQLite" | "PostgreSQL" = "SQLite",
): Contestant {
  const isShared = store === "PostgreSQL";
  return {
    name: `Forebay on ${store}, own worker library on ${runtime}, ${protocol} protocol`,
    async start(jobs) {
      const database = isShared ? await startMeasuredPostgres() : undefined;
      const forebay = await startForebayUnderTest(
        database === undefined ? {} : { "database-url": database.url },
      );
      const program = runtime === "Bun" ? process.execPath : "node";
      const script = join(import.meta.dir, "load/sdk-worker.mjs");
      const env = { ...forebay.workerEnv, FOREBAY_PROTOCOL: protocol };
      return running(forebay, new MeasuredProcess([program, script, String(jobs)], env), database);
    },
  };
}

async function running(
  forebay: ForebayUnderTest,
  workers: MeasuredProcess,
  database?: MeasuredPostgres,
): Promise<Running> {
  await workers.line("ready");
  return {
    port: forebay.port,
    path: `/v2/${forebay.endpoint}/run`,
    key: forebay.key,
    processes: [forebay.server, workers, ...(database === undefined ? [] : [database])],
    done: () => workers.line("done"),
    clean: forebay.clean,
  };
}
