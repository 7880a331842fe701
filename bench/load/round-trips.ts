// Submits jobs from 64 connections, each as soon as the one before is answered, and reads every result back
// from 16 more, oldest first. Says `done` and what the submissions waited when the last result is there. Raw
// sockets, the same for every contestant; it stays until it is ended, so that what it used can be read.
const [portList = "", path = "", statusPath = "", key = "", jobCount = ""] = process.argv.slice(2);
const SUBMITTERS = 64;
const READERS = 16;
/** From a look at a job that is not finished to the next one, ms. */
const PATIENCE = 50;

const ports = portList.split(",").map(Number);
const jobs = Number(jobCount);
const body = JSON.stringify({ input: { prompt: "x".repeat(270) } });
const common = `Host: bench\r\nAuthorization: Bearer ${key}\r\n`;
const headers = `${common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
const submission = Buffer.from(`POST ${path} HTTP/1.1\r\n${headers}\r\n${body}`);

/** Submitted and not yet read. */
const ids: string[] = [];
const idle: (() => void)[] = [];
const waits: number[] = [];
let sent = 0;
let read = 0;
let looks = 0;

for (let index = 0; index < SUBMITTERS; index++) {
  const ask = await open(index);
  void submitAll(ask);
}
for (let index = 0; index < READERS; index++) {
  const ask = await open(index);
  void readAll(ask);
}

async function submitAll(ask: Ask): Promise<void> {
  while (sent++ < jobs) {
    const startedAt = performance.now();
    const answer = await ask(submission);
    waits.push(performance.now() - startedAt);
    const id = /"id":"([^"]+)"/.exec(answer)?.[1];
    if (id === undefined) throw new Error(answer);
    ids.push(id);
    idle.shift()?.();
  }
}

async function readAll(ask: Ask): Promise<void> {
  for (;;) {
    const id = ids.shift();
    if (id === undefined) {
      await new Promise<void>((resolve) => idle.push(resolve));
      continue;
    }
    const request = Buffer.from(`GET ${statusPath}/${id} HTTP/1.1\r\n${common}\r\n`);
    for (;;) {
      looks++;
      const answer = await ask(request);
      if (answer.includes('"COMPLETED"') && answer.includes("yyyy")) break;
      if (!answer.startsWith("HTTP/1.1 200")) throw new Error(answer);
      await Bun.sleep(PATIENCE);
    }
    if (++read === jobs) finish();
  }
}

type Ask = (request: Buffer) => Promise<string>;

/** A connection to one of the ports in turn: each answer comes in one piece, as small ones do. */
async function open(index: number): Promise<Ask> {
  let answered: (answer: string) => void = () => undefined;
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: ports[index % ports.length] ?? 0,
    socket: { data: (_, bytes) => answered(bytes.toString("latin1")) },
  });
  return (request) =>
    new Promise((resolve) => {
      answered = resolve;
      socket.write(request);
    });
}

function finish(): void {
  waits.sort((a, b) => a - b);
  const at = (share: number): number => waits[Math.floor(waits.length * share)] ?? 0;
  console.log(`done ${JSON.stringify({ p50: at(0.5), p99: at(0.99), looks: looks / jobs })}`);
}
