import http from "node:http";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of any shape
  readonly body: any;
  /** Of the wall clock, ms. */
  readonly askedAt: number;
  /** When the answer began; undefined so far. */
  answeredAt: number | undefined;
}

/** Stands before the socket of an engine, hands everything on, and remembers what was asked. */
export interface Recorder extends AsyncDisposable {
  readonly socket: string;
  readonly calls: RecordedCall[];
  /** The engine is cut off: open calls break, and new ones get no answer. */
  cut(): void;
  /** The engine answers new calls again. */
  mend(): void;
}

/** What happens to calls on their way. */
interface RecorderOptions {
  /** What is handed on in place of the body of a call. */
  readonly change?: (call: RecordedCall) => unknown;
  /** Whether the caller gets no answer, although the engine has given one. */
  readonly loses?: (call: RecordedCall) => boolean;
}

export async function record(
  engineSocket: string,
  { change = ({ body }) => body, loses = () => false }: RecorderOptions = {},
): Promise<Recorder> {
  const directory = await temporaryDirectory();
  const socket = join(directory.path, "recorder.sock");
  const calls: RecordedCall[] = [];
  let isCut = false;
  const server = http.createServer((request, answer) => {
    if (isCut) return;
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(pieces).toString();
      const body = text === "" ? undefined : JSON.parse(text);
      const askedAt = Date.now();
      const call: RecordedCall = { method, path: url, headers, body, askedAt, answeredAt: undefined };
      calls.push(call);
      const passed = text === "" ? undefined : JSON.stringify(change(call));
      const length = passed === undefined ? {} : { "content-length": Buffer.byteLength(passed) };
      const target = http.request({
        socketPath: engineSocket,
        method,
        path: url,
        headers: { ...headers, ...length },
        agent: false,
      });
      target.on("response", (given) => {
        call.answeredAt = Date.now();
        if (loses(call)) {
          given.resume();
          answer.destroy();
          return;
        }
        answer.writeHead(given.statusCode ?? 0, given.headers);
        answer.flushHeaders();
        given.pipe(answer);
      });
      target.on("error", () => answer.destroy());
      answer.on("close", () => target.destroy());
      target.end(passed);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    calls,

    cut() {
      isCut = true;
      server.closeAllConnections();
    },

    mend() {
      isCut = false;
      server.closeAllConnections();
    },

    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
