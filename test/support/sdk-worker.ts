import { start, type StartOptions } from "@forebay/worker";
import type { TestServer } from "./test-server.ts";

/** The protocols that the worker library speaks. */
export const PROTOCOLS = ["exchange", "public"] as const;

/** A worker of our own library in the process of the test. At most one at a time: all hear one signal. */
export class SdkWorker {
  readonly id: string;
  /** Settles as `start` does. */
  readonly ended: Promise<void>;

  private constructor(id: string, ended: Promise<void>) {
    this.id = id;
    this.ended = ended;
  }

  /** Admits a worker to the endpoint and starts it. */
  static async start<Input>(
    server: TestServer,
    endpoint: string,
    options: StartOptions<Input>,
  ): Promise<SdkWorker> {
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    return new SdkWorker(json.workerId, startWith(json.env, options));
  }

  /** The first signal that a worker gets; resolves when it has ended. */
  stop(): Promise<void> {
    process.emit("SIGTERM");
    return this.ended;
  }
}

/** Starts a worker that sees just these environment variables. */
export function startWith<Input>(
  environment: Readonly<Record<string, string>>,
  options: StartOptions<Input>,
): Promise<void> {
  const own = process.env;
  process.env = { ...environment };
  try {
    return start(options);
  } finally {
    process.env = own;
  }
}
