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
}

export async function record(engineSocket: string): Promise<Recorder> {
  const directory = await temporaryDirectory();
  const socket = join(directory.path, "recorder.sock");
  const calls: RecordedCall[] = [];
  const server = http.createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(pieces).toString();
      const body = text === "" ? undefined : JSON.parse(text);
      const askedAt = Date.now();
      const call: RecordedCall = { method, path: url, headers, body, askedAt, answeredAt: undefined };
      calls.push(call);
      const target = http.request({ socketPath: engineSocket, method, path: url, headers, agent: false });
      target.on("response", (given) => {
        call.answeredAt = Date.now();
        answer.writeHead(given.statusCode ?? 0, given.headers);
        answer.flushHeaders();
        given.pipe(answer);
      });
      target.on("error", () => answer.destroy());
      answer.on("close", () => target.destroy());
      target.end(text === "" ? undefined : text);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    socket,
    calls,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
