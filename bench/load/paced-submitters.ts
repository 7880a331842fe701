// Submits jobs at a steady rate from 64 connections, whether or not the earlier ones are answered, until it
// is ended. A line `mark <name>` on the standard input prints what the waits were since the one before: from
// the moment a job was due until its answer, so that a server that stands still cannot hide it.
const [port = "", path = "", key = "", rate = ""] = process.argv.slice(2);
const CONNECTIONS = 64;
const perMs = Number(rate) / 1_000;

const body = JSON.stringify({ input: { prompt: "x".repeat(270) } });
const request = Buffer.from(
  [
    `POST ${path} HTTP/1.1`,
    "Host: bench",
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n"),
);

let waits: number[] = [];
let begunAt = performance.now();
let sent = 0;
const due: number[] = [];
const free: { data: number; write(bytes: Buffer): number }[] = [];

function submit(): void {
  while (due.length > 0 && free.length > 0) {
    const socket = free.pop();
    if (socket === undefined) return;
    socket.data = due.shift() ?? 0;
    socket.write(request);
  }
}

for (let connection = 0; connection < CONNECTIONS; connection++) {
  await Bun.connect<number>({
    hostname: "127.0.0.1",
    port: Number(port),
    data: 0,
    socket: {
      open: (socket) => void free.push(socket),
      data(socket, answer) {
        if (!answer.toString("latin1", 0, 12).endsWith(" 200")) throw new Error(answer.toString());
        waits.push(performance.now() - socket.data);
        free.push(socket);
        submit();
      },
    },
  });
}

const startedAt = performance.now();
setInterval(() => {
  const now = performance.now();
  for (; sent < (now - startedAt) * perMs; sent++) due.push(startedAt + sent / perMs);
  submit();
}, 1);

for await (const line of console) {
  const name = line.replace("mark ", "");
  const sorted = waits.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const rate = (sorted.length / (performance.now() - begunAt)) * 1_000;
  console.log(JSON.stringify({ mark: name, rate, p50: at(0.5), p99: at(0.99), max: at(1) }));
  waits = [];
  begunAt = performance.now();
}
