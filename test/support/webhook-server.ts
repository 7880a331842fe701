import { TestServer } from "./test-server.ts";
import type { TestWorker } from "./test-worker.ts";
import { until } from "./until.ts";
import { LOOPBACK_ALLOWED } from "./webhook-receiver.ts";

/** A server whose webhooks may call this machine, in a hurry, with one endpoint and one worker. */
export class WebhookServer {
  readonly server: TestServer;
  readonly endpoint: string;
  readonly worker: TestWorker;

  private constructor(server: TestServer, endpoint: string, worker: TestWorker) {
    this.server = server;
    this.endpoint = endpoint;
    this.worker = worker;
  }

  static async start(more: Record<string, string> = {}): Promise<WebhookServer> {
    const flags = {
      ...LOOPBACK_ALLOWED,
      "webhook-pause-ms": "300",
      "webhook-interval-ms": "50",
      "webhook-timeout-ms": "1000",
      ...more,
    };
    const server = await TestServer.start({ flags });
    const endpoint = await server.endpoint();
    return new WebhookServer(server, endpoint, await server.worker(endpoint));
  }

  /** A job that has just ended, and calls `webhook`. */
  async completed(webhook: string, output: unknown = 1): Promise<string> {
    const job = await this.server.run(this.endpoint, {}, { webhook });
    await this.worker.take();
    await this.worker.done(job, { output });
    return job;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- records of any shape
  async listed(query = ""): Promise<any[]> {
    const { json } = await this.server.get(`/v1/endpoints/${this.endpoint}/webhooks${query}`);
    return json.webhooks;
  }

  /** The webhooks in the state, when there are so many. */
  // oxlint-disable-next-line typescript/no-explicit-any -- records of any shape
  untilListed(status: string, count = 1): Promise<any[]> {
    return until(`${count} webhooks are ${status}`, async () => {
      const found = await this.listed(`?status=${status}`);
      return found.length >= count && found;
    });
  }

  async secret(): Promise<string> {
    return (await this.secrets()).secret;
  }

  /** The secret, and the previous one while both sign. */
  async secrets(): Promise<{ secret: string; previousSecret?: string }> {
    return (await this.server.get(`/v1/endpoints/${this.endpoint}/webhook-secret`)).json;
  }
}
