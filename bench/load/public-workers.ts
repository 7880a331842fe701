// Workers of the public protocol, each on a connection of its own: takes a job, reports it, takes the next.
// Its argument is one JSON object. It prints `ran N` for each milestone.
import { readFileSync } from "node:fs";
import { fail } from "./raw-http.ts";

interface Options {
  readonly port: number;
  /** How many workers; they share the endpoints in turn. */
  readonly workers: number;
  /** Or a file with as many. */
  readonly endpoints: readonly Endpoint[] | string;
  readonly milestones: readonly number[];
  /**
   * From an answer without a job, or with a fault of the server, to the next call, ms: for a server that
   * answers at once. Without it a fault ends the run.
   */
  readonly pause?: number;
  /** One job of so many fails with this error. */
  readonly failing?: { readonly each: number; readonly error: string };
}

interface Endpoint {
  readonly endpoint: string;
  readonly token: string;
}

interface Connection {
  readonly take: Buffer;
  readonly name: string;
  readonly endpoint: Endpoint;
  /** What was sent last. */
  sent: Buffer;
}

const {
  port,
  workers,
  endpoints,
  milestones,
  pause = 0,
  failing,
}: Options = JSON.parse(process.argv[2] ?? "{}");
const all: readonly Endpoint[] =
  typeof endpoints === "string" ? JSON.parse(readFileSync(endpoints, "utf8")) : endpoints;
const result = JSON.stringify({ output: { text: "y".repeat(100) } });
const failure = JSON.stringify({ error: failing?.error });
const announced = new Set(milestones);

let ran = 0;
let reported = 0;
for (let index = 0; index < workers; index++) {
  const name = `w${index}`;
  const endpoint = all[index % all.length];
  if (endpoint === undefined) throw new Error("no endpoint is given");
  const take = Buffer.from(
    `GET /v2/${endpoint.endpoint}/job-take/${name}?gpu=x&job_in_progress=0 HTTP/1.1\r\n` +
      `Host: bench\r\nAuthorization: ${endpoint.token}\r\n\r\n`,
  );
  await Bun.connect<Connection>({
    hostname: "127.0.0.1",
    port,
    data: { take, name, endpoint, sent: take },
    socket: {
      open: (socket) => void socket.write(take),
      data: goOn,
      close: () => fail("the server closed the connection of a worker"),
    },
  });
}
console.log("ready");

function goOn(socket: { data: Connection; write(bytes: Buffer): number }, answer: Buffer): void {
  const { data } = socket;
  const isReporting = data.sent !== data.take;
  const status = answer.toString("latin1", 9, 12);
  if (pause > 0 && status === "500") {
    setTimeout(() => socket.write(data.sent), pause);
    return;
  }
  if (isReporting && status !== "200") fail(answer.toString());
  if (isReporting && announced.has(++ran)) console.log(`ran ${ran}`);
  const job = isReporting ? undefined : jobIdOf(answer);
  data.sent = job === undefined ? data.take : report(data, job);
  const isEmpty = !isReporting && job === undefined;
  if (isEmpty && pause > 0) setTimeout(() => socket.write(data.sent), pause);
  else socket.write(data.sent);
}

/** The id in an answer to job-take; undefined if it has no job. */
function jobIdOf(answer: Buffer): string | undefined {
  const text = answer.toString("latin1", 0, 400);
  if (text.startsWith("HTTP/1.1 204")) return undefined;
  const id = /"id":"([^"]+)"/.exec(text)?.[1];
  return id ?? fail(answer.toString());
}

function report({ name, endpoint }: Connection, job: string): Buffer {
  const text = failing !== undefined && ++reported % failing.each === 0 ? failure : result;
  return Buffer.from(
    [
      `POST /v2/${endpoint.endpoint}/job-done/${name}/${job}?gpu=x&isStream=false HTTP/1.1`,
      "Host: bench",
      `Authorization: ${endpoint.token}`,
      "Content-Type: application/x-www-form-urlencoded",
      `X-Request-ID: ${job}`,
      `Content-Length: ${text.length}`,
      "",
      text,
    ].join("\r\n"),
  );
}
