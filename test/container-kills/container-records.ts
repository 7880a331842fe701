import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../crash-server/digest-of.ts";
import { wallTime } from "../crash-server/wall-time.ts";
import type { WorkerRecord } from "../crash-server/worker-record.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

/** What test/docker/workers/recording-worker.ts sends. */
type Sent =
  | { readonly did: "got"; readonly id: string; readonly tag: string }
  | { readonly did: "report"; readonly id: string; readonly output: unknown };

/** Keeps what workers in containers do as files, as if they had written them. */
export class ContainerRecords implements AsyncDisposable {
  readonly directory: string;
  readonly #receiver: WebhookReceiver;

  private constructor(directory: string, receiver: WebhookReceiver) {
    this.directory = directory;
    this.#receiver = receiver;
  }

  static async start(): Promise<ContainerRecords> {
    const directory = mkdtempSync(join(tmpdir(), "forebay-records-"));
    const receiver = await WebhookReceiver.start((response, { headers, body }) => {
      const line = JSON.stringify(recordOf(JSON.parse(body)));
      appendFileSync(join(directory, String(headers["worker"])), `${line}\n`);
      response.end();
    });
    return new ContainerRecords(directory, receiver);
  }

  get url(): string {
    return this.#receiver.url("/records");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#receiver[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true });
  }
}

function recordOf(sent: Sent): WorkerRecord {
  const at = wallTime();
  if (sent.did === "got") return { at, ...sent, endpoint: "" };
  return { at, did: "report", id: sent.id, state: "COMPLETED", digest: digestOf(sent.output) };
}
