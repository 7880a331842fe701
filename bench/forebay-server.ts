import { rm } from "node:fs/promises";
import { join } from "node:path";
import { MeasuredProcess } from "./measured-process.ts";
import { temporaryDirectory } from "./temporary-directory.ts";

/** The admin key of every server under test. */
export const KEY = "bench-key-0123456789";
const NO_LIMIT = { requests: 100_000_000, concurrent: 100_000 };
const NO_LIMITS = { run: NO_LIMIT, runsync: NO_LIMIT, status: NO_LIMIT, stream: NO_LIMIT };
const ENV = { FOREBAY_ADMIN_KEY: KEY, FOREBAY_DEMO: "false", FOREBAY_SECRET_KEY: KEY };

/** A Forebay server with an endpoint and the environment of its workers. */
export interface ForebayUnderTest {
  /** The directory of its code. */
  readonly build: string;
  readonly server: MeasuredProcess;
  readonly port: number;
  readonly endpoint: string;
  readonly key: string;
  /** Of its workers. */
  readonly token: string;
  readonly workerEnv: Readonly<Record<string, string>>;
  clean(): Promise<void>;
}

/** `settings` are flags beside those of every benchmark, without their dashes. */
export async function startForebayUnderTest(
  build: string,
  settings: Settings = {},
  env: Settings = {},
): Promise<ForebayUnderTest> {
  const { server, port, clean } = await startServer(build, settings, env);
  const { workerEnv, ...made } = await createBenchEndpoint(port);
  // The workers of a build use its own library.
  return { build, server, port, key: KEY, ...made, workerEnv: { ...workerEnv, BENCH_BUILD: build }, clean };
}

/** An endpoint with a token for all its workers. Unless it has rate limits, no load reaches them. */
export async function createBenchEndpoint(port: number, fields: object = { rateLimits: NO_LIMITS }) {
  const made = await callForebay(port, "/v1/endpoints", {
    name: `bench ${crypto.randomUUID()}`,
    ...fields,
  });
  const endpoint = String(made["id"]);
  const admitted = await callForebay(port, `/v1/endpoints/${endpoint}/workers`, { many: true });
  const workerEnv = admitted["env"] as Settings;
  return { endpoint, workerEnv, token: workerEnv["RUNPOD_AI_API_KEY"] ?? "" };
}

/** Calls the management API: with a body it posts. Repeats a call that exceeds its rate limit. */
export async function callForebay(
  port: number,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const headers = { authorization: KEY, "content-type": "application/json" };
  for (;;) {
    const url = `http://127.0.0.1:${port}${path}`;
    const posted = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(url, { headers, ...posted });
    if (response.ok) return (await response.json()) as Record<string, unknown>;
    if (response.status !== 429) throw new Error(await response.text());
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** A server on data that exists, such as that of a server that was stopped. */
export function restartForebay(build: string, settings: Settings): MeasuredProcess {
  return new MeasuredProcess(serveCommand(build, settings), ENV);
}

function serveCommand(build: string, settings: Settings): string[] {
  const flags = Object.entries(settings).flatMap(([flag, value]) => [`--${flag}`, value]);
  return [process.execPath, join(build, "src/cli/main.ts"), "serve", ...flags];
}

/** Another server on the database of the first, with the same settings. */
export async function joinForebayUnderTest(
  first: ForebayUnderTest,
  settings: Settings,
): Promise<ForebayUnderTest> {
  const { server, port, clean } = await startServer(first.build, settings, {});
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

export type Settings = Readonly<Record<string, string>>;

async function startServer(build: string, settings: Settings, env: Settings) {
  const directory = temporaryDirectory("forebay-bench-");
  // Results expire within the run, so that their deletion is part of the figure.
  const given = { port: "0", data: join(directory, "data"), "run-retention-ms": "2000", ...settings };
  const server = new MeasuredProcess(serveCommand(build, given), { ...ENV, ...env });
  return {
    server,
    port: await portOf(server),
    clean: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The port that a server announces once it is ready. */
export async function portOf(server: MeasuredProcess): Promise<number> {
  const url = /http:\S+/.exec(await server.line("forebay ready on"))?.[0] ?? "";
  return Number(new URL(url).port);
}
