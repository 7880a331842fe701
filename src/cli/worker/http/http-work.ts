import type { Gate, Handler } from "@forebay/worker";
import { systemClock } from "../../../host/system-clock.ts";
import { CommandFault } from "../../command-fault.ts";
import { withSentences } from "../job-failure.ts";
import { say } from "../say.ts";
import type { Work } from "../work.ts";
import { outputOf } from "./answer.ts";
import type { Template } from "./template.ts";
import { Upstream, type UpstreamAddress } from "./upstream.ts";

export interface HttpOptions extends UpstreamAddress {
  readonly method: string;
  readonly headers: Headers;
  readonly template: Template;
  /** Whether each line of an answer is a chunk, whatever the content type. */
  readonly lines: boolean;
  /** How long to wait for the upstream at the start, ms. */
  readonly startWait: number;
}

/** Runs each job as a request to a server: the input is the body, the answer is the output. */
export class HttpWork implements Work {
  readonly handler: Handler;
  readonly #startWait: number;
  readonly #upstream: Upstream;
  #watching: Promise<void> | undefined = undefined;

  constructor(options: HttpOptions) {
    const { method, headers, template, lines } = options;
    const upstream = new Upstream(options, systemClock());
    this.#startWait = options.startWait;
    this.#upstream = upstream;
    this.handler = withSentences(async (job, { signal }) => {
      const response = await upstream.send({ method, headers, body: template(job) }, signal);
      return outputOf(response, upstream.name, lines);
    });
  }

  get gate(): Gate {
    return this.#upstream;
  }

  async check(): Promise<void> {
    const reason = await this.#upstream.probe();
    if (reason === undefined) return;
    if (this.#startWait === 0) {
      throw new CommandFault(`${reason}. Start it first, or wait for it with --start-wait 60s.`);
    }
    say(`waits for ${this.#upstream.name}: ${reason}`);
  }

  async ready(): Promise<void> {
    const reason = await this.#upstream.answersWithin(this.#startWait);
    if (reason !== undefined) {
      throw new CommandFault(`${reason}, and --start-wait has passed. Start it, or wait longer.`);
    }
    this.#watching = this.#upstream.watch();
  }

  async close(): Promise<void> {
    this.#upstream.end();
    await this.#watching;
  }
}
