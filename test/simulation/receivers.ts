import type { Outbound, OutboundOutcome } from "../../src/outbound/outbound.ts";
import { type Agenda, newProcess, type Process } from "./agenda.ts";
import type { Random } from "./random.ts";
import type { Weather } from "./weather.ts";

export interface ReceivedWebhook {
  readonly id: string;
  readonly address: string;
  readonly body: string;
  readonly at: number;
}

/** Receivers of webhooks, and the wire between them and the servers. */
export class Receivers {
  readonly process = newProcess("receiver");
  readonly received: ReceivedWebhook[] = [];

  readonly #agenda: Agenda;
  readonly #weather: Weather;
  readonly #random: Random;
  readonly #onReceived: (webhook: ReceivedWebhook) => void;
  readonly #onAcknowledged: (id: string) => void;

  constructor(
    agenda: Agenda,
    weather: Weather,
    random: Random,
    onReceived: (webhook: ReceivedWebhook) => void,
    onAcknowledged: (id: string) => void,
  ) {
    this.#agenda = agenda;
    this.#weather = weather;
    this.#random = random;
    this.#onReceived = onReceived;
    this.#onAcknowledged = onAcknowledged;
  }

  /** As the server `process` calls them. */
  outbound(process: Process): Outbound {
    const random = this.#random;
    const weather = this.#weather;
    const agenda = this.#agenda;
    return {
      refusal: () => undefined,
      post: ({ url, headers, body, timeout }) =>
        new Promise<OutboundOutcome>((resolve) => {
          const answer = (ms: number, outcome: OutboundOutcome): void => {
            agenda.after(ms, process, `webhook: ${outcome.kind}`, () => resolve(outcome));
          };
          const there = random.between(1, 40);
          if (weather.strikes("receiver refuses")) {
            answer(there, { kind: "failed", reason: "It refused the connection." });
            return;
          }
          const text = new TextDecoder().decode(body);
          agenda.after(there, this.process, "gets a webhook", () => {
            const id = headers["webhook-id"] ?? "";
            agenda.note(`webhook ${id} ${text}`);
            const received = { id, address: url, body: text, at: agenda.now };
            this.received.push(received);
            this.#onReceived(received);
          });
          if (weather.strikes("receiver hangs")) {
            answer(timeout, { kind: "failed", reason: "It did not answer in time." });
          } else if (weather.strikes("receiver resets")) {
            answer(2 * there, { kind: "failed", reason: "It closed the connection." });
          } else {
            const status = weather.strikes("receiver answers 500") ? 500 : 200;
            if (status === 200) this.#onAcknowledged(headers["webhook-id"] ?? "");
            answer(2 * there + 1, { kind: "answered", status });
          }
        }),
    };
  }
}
