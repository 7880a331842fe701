import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** As at the server itself: the public worker SDK takes a connection to be open for 15 s. */
const CLIENT_REST = 75_000;

/** An answer of the server that has not been passed on yet. */
export interface HeldAnswer {
  readonly url: string;
  readonly status: number;
}

/** Called with each answer before it is passed on; false drops it and its connection. */
export type AnswerJudge = (answer: HeldAnswer) => Promise<boolean> | boolean;

/** A proxy that can keep answers back: what an answer says is committed, and its reader never hears of it. */
export class AnswerGate {
  readonly #target: string;
  readonly #judge: AnswerJudge;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer({ keepAliveTimeout: CLIENT_REST }, (call, answer) =>
    this.#pass(call, answer),
  );

  private constructor(target: string, judge: AnswerJudge) {
    this.#target = target;
    this.#judge = judge;
  }

  static async start(target: string, judge: AnswerJudge): Promise<AnswerGate> {
    const gate = new AnswerGate(target, judge);
    await new Promise<void>((resolve) => gate.#server.listen(0, "127.0.0.1", resolve));
    return gate;
  }

  get url(): string {
    // A server that listens on TCP has an address of this kind.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(call: IncomingMessage, answer: ServerResponse): void {
    const { method, url = "", headers } = call;
    const { connection: _, ...passed } = headers;
    const onward = request(`${this.#target}${url}`, { method, headers: passed, agent: this.#agent });
    onward.on("response", (response) => void this.#answer(url, response, answer));
    // Its reader sees what it would see without the gate: a connection that ends.
    onward.on("error", () => answer.destroy());
    answer.on("close", () => {
      if (!answer.writableFinished) onward.destroy();
    });
    call.pipe(onward);
  }

  async #answer(url: string, response: IncomingMessage, answer: ServerResponse): Promise<void> {
    const status = response.statusCode ?? 0;
    const pieces: Buffer[] = [];
    response.on("data", (piece: Buffer) => pieces.push(piece));
    await new Promise((resolve) => response.on("close", resolve));
    if (!response.complete || !(await this.#judge({ url, status }))) {
      answer.destroy();
      return;
    }
    answer.writeHead(status, response.headers);
    answer.end(Buffer.concat(pieces));
  }
}
