// 64 workers of the public protocol, each on a connection of its own: takes a job, reports it, takes the
// next. Says when as many as it was told of are reported.
const [port = "", endpoint = "", token = "", jobCount = ""] = process.argv.slice(2);
const WORKERS = 64;
const jobs = Number(jobCount);
const result = JSON.stringify({ output: { text: "y".repeat(100) } });

interface Connection {
  readonly take: Buffer;
  readonly name: string;
  isReporting: boolean;
}

let done = 0;
for (let index = 0; index < WORKERS; index++) {
  const name = `w${index}`;
  const query = "gpu=x&job_in_progress=0";
  const take = Buffer.from(
    `GET /v2/${endpoint}/job-take/${name}?${query} HTTP/1.1\r\n` +
      `Host: bench\r\nAuthorization: ${token}\r\n\r\n`,
  );
  await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port: Number(port),
    data: { take, name, isReporting: false },
    socket: {
      open: (socket) => void socket.write(take),
      data(socket, answer) {
        const { data } = socket;
        const job = data.isReporting ? undefined : jobIdOf(answer);
        if (data.isReporting && ++done === jobs) console.log("done");
        data.isReporting = job !== undefined;
        socket.write(job === undefined ? take : report(data.name, job));
      },
    },
  });
}
console.log("ready");

/** The id in an answer to job-take; undefined when it had no job. */
function jobIdOf(answer: Buffer): string | undefined {
  const text = answer.toString("latin1", 0, 400);
  if (text.startsWith("HTTP/1.1 204")) return undefined;
  const id = /"id":"([^"]+)"/.exec(text)?.[1];
  if (id === undefined) throw new Error(answer.toString());
  return id;
}

function report(worker: string, job: string): Buffer {
  return Buffer.from(
    [
      `POST /v2/${endpoint}/job-done/${worker}/${job}?gpu=x&isStream=false HTTP/1.1`,
      "Host: bench",
      `Authorization: ${token}`,
      "Content-Type: application/x-www-form-urlencoded",
      `X-Request-ID: ${job}`,
      `Content-Length: ${result.length}`,
      "",
      result,
    ].join("\r\n"),
  );
}
