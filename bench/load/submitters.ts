// Submits jobs from 64 connections, each as soon as the one before is answered, and prints what the waits
// were. Raw sockets, the same for every contestant: an HTTP client would cost more than some of the servers.
// It stays until it is ended, so that what it used can be read.
const [port = "", path = "", key = "", jobCount = ""] = process.argv.slice(2);
const CONNECTIONS = 64;
const jobs = Number(jobCount);

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

const waits: number[] = [];
let sent = 0;
const submit = (socket: { data: number; write(bytes: Buffer): number }): void => {
  if (sent === jobs) return;
  sent++;
  socket.data = performance.now();
  socket.write(request);
};

for (let connection = 0; connection < CONNECTIONS; connection++) {
  await Bun.connect<number>({
    hostname: "127.0.0.1",
    port: Number(port),
    data: 0,
    socket: {
      open: submit,
      data(socket, answer) {
        if (!answer.toString("latin1", 0, 12).endsWith(" 200")) throw new Error(answer.toString());
        waits.push(performance.now() - socket.data);
        if (waits.length === jobs) finish();
        else submit(socket);
      },
    },
  });
}

function finish(): void {
  waits.sort((a, b) => a - b);
  const at = (share: number): number =>
    waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
  console.log(JSON.stringify({ p50: at(0.5), p99: at(0.99) }));
}
