import { afterEach, beforeEach, expect, test } from "bun:test";
import { giveBack } from "../../src/engine/give-back.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

let at: WebhookServer;
beforeEach(async () => {
  at = await WebhookServer.start();
});
afterEach(() => at.server.stop());

for (const isRunning of [false, true]) {
  const where = isRunning ? "runs again" : "waits again";
  test(`R12: the webhook of a late result shows the attempt that won, while the job ${where}`, async () => {
    await using receiver = await WebhookReceiver.start();
    const { server, endpoint, worker } = at;
    const other = await server.worker(endpoint);
    const id = await server.run(endpoint, {}, { webhook: receiver.url() });
    await worker.take();
    const { engine } = server.forebay;
    const job = await engine.store.job(endpoint, id);
    if (job === undefined) throw new Error("there is no job");
    await giveBack(engine, job, "died");
    if (isRunning) expect((await other.take()).json.id).toBe(id);
    await worker.done(id, { output: "late" });
    await other.done(id, { output: "of the other one" });

    const [call] = await receiver.called();
    const record = await server.status(endpoint, id);
    expect(record).toMatchObject({
      status: "COMPLETED",
      workerId: worker.id,
      output: "late",
      retries: 1,
      delayTime: (job.takenAt ?? 0) - job.queuedAt,
    });
    const sent = JSON.parse(call?.body ?? "");
    expect(sent).toMatchObject(record);
    await at.untilListed("DELIVERED");
    expect(await at.listed()).toHaveLength(1);
    expect(receiver.calls).toHaveLength(1);
  });
}
