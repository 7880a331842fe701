// The client of a benchmark: submits jobs over raw sockets, because an HTTP client would cost more than some
// of the servers. Its argument is one JSON object; it then obeys lines on its standard input, each a JSON
// object, and answers each with one line. It stays until it is killed, so that its CPU time can be read.
// - {"jobs": N}: submits N jobs, each connection as soon as its last job is answered; with `statusPath` it
//   also reads every result.
// - {"jobs": N, "rate": R}: submits R jobs a second, whether or not the earlier ones are answered. Waits
//   count from the moment a job is due, so that a server that stands still cannot hide it.
// - {"mark": true}: answers what the waits were since the line before.
import { connection, type Connection, fail, requestText } from "./raw-http.ts";

interface Options {
  readonly ports: readonly number[];
  /** Jobs go to these in turn. */
  readonly paths: readonly string[];
  readonly key: string;
  readonly statusPath?: string;
  /** The length of each input, bytes. */
  readonly bytes?: number;
  /** Tags of jobs: each path gets a job with the first ones, then each with the second ones, and so on. */
  readonly tags?: readonly (readonly string[])[];
  readonly connections?: number;
}

interface Command {
  readonly jobs?: number;
  readonly rate?: number;
  readonly mark?: boolean;
}

const options: Options = JSON.parse(process.argv[2] ?? "{}");
const { ports, paths, key, statusPath, bytes = 270, connections = 64, tags } = options;
const READERS = 16;
/** From one look at an unfinished job to the next, ms. */
const PATIENCE = 50;

const input = { prompt: "x".repeat(bytes) };
const EMPTY = Buffer.alloc(0);
const submissions = (tags ?? [undefined]).flatMap((given) => {
  const body = JSON.stringify({ input, ...(given === undefined ? {} : { policy: { tags: given } }) });
  return paths.map((path) => requestText("POST", path, key, body));
});

let waits: number[] = [];
let begunAt = performance.now();
let answered = 0;
let wanted = 0;
let sent = 0;
let isPaced = false;
/** When the jobs are due that no connection has sent yet. */
const due: number[] = [];
const free: Connection[] = [];
/** Submitted and not yet read. */
const ids: string[] = [];
const idleReaders: (() => void)[] = [];

for (let index = 0; index < connections; index++) free.push(await open(index));
if (statusPath !== undefined) {
  for (let index = 0; index < READERS; index++) readAll(await open(index), statusPath).catch(fail);
}
console.log("ready");
for await (const line of console) obey(JSON.parse(line) as Command);

function obey({ jobs, rate, mark }: Command): void {
  if (mark === true) {
    report();
    return;
  }
  waits = [];
  begunAt = performance.now();
  wanted = jobs ?? Number.POSITIVE_INFINITY;
  answered = 0;
  sent = 0;
  isPaced = rate !== undefined;
  if (rate !== undefined) pace(rate / 1_000);
  for (const idle of free.splice(0)) next(idle);
}

function pace(perMs: number): void {
  const startedAt = performance.now();
  let queued = 0;
  const timer = setInterval(() => {
    const elapsed = performance.now() - startedAt;
    for (; queued < elapsed * perMs && queued < wanted; queued++) due.push(startedAt + queued / perMs);
    while (due.length > 0 && free.length > 0) next(free.pop());
    if (queued >= wanted) clearInterval(timer);
  }, 1);
}

function next(idle: Connection | undefined): void {
  if (idle === undefined) return;
  const from = isPaced ? due.shift() : performance.now();
  if (sent >= wanted || from === undefined) free.push(idle);
  else submit(idle, from).catch(fail);
}

async function submit(socket: Connection, from: number): Promise<void> {
  const answer = await socket.ask(submissions[sent++ % submissions.length] ?? EMPTY);
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer);
  waits.push(performance.now() - from);
  next(socket);
  if (statusPath === undefined) finishOne();
  else {
    const id = /"id":"([^"]+)"/.exec(answer)?.[1];
    if (id === undefined) throw new Error(answer);
    ids.push(id);
    idleReaders.shift()?.();
  }
}

async function readAll(socket: Connection, path: string): Promise<never> {
  for (;;) {
    const id = ids.shift();
    if (id === undefined) {
      await new Promise<void>((resolve) => idleReaders.push(resolve));
      continue;
    }
    const request = requestText("GET", `${path}/${id}`, key);
    for (;;) {
      const answer = await socket.ask(request);
      if (answer.includes('"COMPLETED"') && answer.includes("yyyy")) break;
      if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer);
      await Bun.sleep(PATIENCE);
    }
    finishOne();
  }
}

function finishOne(): void {
  if (++answered === wanted) report();
}

function report(): void {
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const rate = (sorted.length * 1_000) / (performance.now() - begunAt);
  console.log(JSON.stringify({ rate, p50: at(0.5), p99: at(0.99), max: at(1) }));
  waits = [];
  begunAt = performance.now();
}

function open(index: number): Promise<Connection> {
  return connection(ports[index % ports.length] ?? 0);
}
