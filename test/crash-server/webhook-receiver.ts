import { seededRandom } from "../crash/seeded-random.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import type { Recorder } from "./recorder.ts";

/** Writes down each webhook, and refuses or drops some. */
export function webhookReceiver(recorder: Recorder, seed: number): Promise<WebhookReceiver> {
  const random = seededRandom(`receiver/${seed}`);
  return WebhookReceiver.start((response, { headers, body }) => {
    recorder.sawWebhook(String(headers["webhook-id"]), JSON.parse(body));
    if (random.chance(0.1)) response.destroy();
    else response.writeHead(random.chance(0.1) ? 500 : 200).end();
  });
}
