import { connect, type Socket } from "node:net";
import type { Admission } from "./patient-workers.ts";

/**
 * A worker that asks for a job and then neither reads nor says anything: as if its machine were gone. The
 * connection stays open until `close`, which resets it with the answer unread.
 */
export class DeadPoller implements Disposable {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Resolves when the whole question has gone out. */
  static async ask(admission: Admission, protocol: string): Promise<DeadPoller> {
    const { url, head } = protocol === "exchange" ? exchangeOf(admission) : jobTakeOf(admission);
    const socket = connect({ host: url.hostname, port: Number(url.port) });
    socket.pause();
    socket.on("error", () => undefined); // the server may reset it as it ends
    await new Promise((resolve) => socket.write(head, resolve));
    return new DeadPoller(socket);
  }

  close(): void {
    this.#socket.resetAndDestroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function jobTakeOf(admission: Admission): { url: URL; head: string } {
  const address = admission["RUNPOD_WEBHOOK_GET_JOB"] ?? "";
  const id = admission["RUNPOD_POD_ID"] ?? "dead";
  const url = new URL(`${address.replace("$ID", id)}&job_in_progress=0`);
  return { url, head: headOf("GET", url, admission["RUNPOD_AI_API_KEY"]) };
}

function exchangeOf(admission: Admission): { url: URL; head: string } {
  const url = new URL((admission["FOREBAY_EXCHANGE_URL"] ?? "").replace("$ID", "dead"));
  const body = '{"alive":[],"take":1,"wait":3000}';
  const head = headOf("POST", url, admission["FOREBAY_WORKER_TOKEN"], `content-length: ${body.length}\r\n`);
  return { url, head: head + body };
}

function headOf(method: string, url: URL, token = "", more = ""): string {
  return (
    `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n` +
    `authorization: ${token}\r\n${more}\r\n`
  );
}
