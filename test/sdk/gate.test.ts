import { describe, expect, test } from "bun:test";
import type { Gate } from "@forebay/worker";
import { freshServer } from "../support/fresh-server.ts";
import { PROTOCOLS, SdkWorker } from "../support/sdk-worker.ts";
import type { TestServer } from "../support/test-server.ts";

class Door implements Gate {
  isOpen = true;
  #listener = (): void => undefined;

  readonly onChange = (listener: () => void): void => {
    this.#listener = listener;
  };

  turn(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.#listener();
  }
}

describe.each(PROTOCOLS)("a worker with a gate, over the %s protocol", (protocol) => {
  let server: TestServer;
  let endpoint: string;
  let worker: SdkWorker;
  freshServer((fresh) => ({ server, endpoint } = fresh), { end: () => worker.stop() });

  test("takes no job while it is closed, and takes them again once it is open", async () => {
    const gate = new Door();
    const handler = (): string => {
      gate.turn(false);
      return "done";
    };
    worker = await SdkWorker.start(server, endpoint, { handler, protocol, gate });
    expect(await server.ended(endpoint, await server.run(endpoint))).toMatchObject({ output: "done" });
    const other = await server.worker(endpoint);
    const left = await server.run(endpoint);
    expect((await other.take()).json.id).toBe(left);
    const next = await server.run(endpoint);
    gate.turn(true);
    expect(await server.ended(endpoint, next)).toMatchObject({ output: "done", workerId: worker.id });
  });

  test("ends in order behind a closed gate", async () => {
    const gate = new Door();
    gate.turn(false);
    worker = await SdkWorker.start(server, endpoint, { handler: () => "done", protocol, gate });
    const left = await server.run(endpoint);
    await worker.stop();
    expect(await server.status(endpoint, left)).toMatchObject({ status: "IN_QUEUE" });
  });
});
