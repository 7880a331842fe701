import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { until } from "../support/until.ts";
import { type WebhookCall, WebhookReceiver } from "../support/webhook-receiver.ts";
import { WebhookServer } from "../support/webhook-server.ts";

describe("webhooks report each end of a job, signed", () => {
  let at: WebhookServer;
  beforeEach(async () => {
    at = await WebhookServer.start();
  });
  afterEach(() => at.server.stop());

  test("T12: each call is signed, as the package standardwebhooks verifies it", async () => {
    await using receiver = await WebhookReceiver.start((response, _call, nth) =>
      response.writeHead(nth === 1 ? 500 : 200).end(),
    );
    await at.completed(receiver.url(), { text: 'é"\n', n: 1.5 });
    const calls = await receiver.called(2);
    for (const call of calls)
      expect(verified(call, await at.secret())).toMatchObject({ status: "COMPLETED" });
    expect(new Set(calls.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const [call] = calls;
    if (call === undefined) throw new Error("no call came");
    const altered = { ...call, body: call.body.replace("1.5", "1.6") };
    const good = await at.secret();
    expect(() => verified(altered, good)).toThrow("No matching signature found");
  });

  test("T12: after a rotation both secrets sign until the overlap ends, then the new one", async () => {
    await using receiver = await WebhookReceiver.start();
    const old = await at.secret();
    const path = `/v1/endpoints/${at.endpoint}/webhook-secret/rotate`;
    const rotated = (await at.server.post(path, { overlapMs: 86_400_000 })).json;
    expect(rotated).toEqual({
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      previousSecret: old,
      previousUntil: expect.stringMatching(/Z$/),
    });
    expect(await at.secret()).toBe(rotated.secret);
    await at.completed(receiver.url());
    const [both] = await receiver.called();
    for (const each of [old, rotated.secret]) expect(verified(both, each)).toBeDefined();

    const brief = (await at.server.post(path, { overlapMs: 1 })).json;
    await until("the overlap is over", async () => !("previousSecret" in (await at.secrets())));
    await at.completed(receiver.url());
    const [, behind] = await receiver.called(2);
    expect(verified(behind, brief.secret)).toBeDefined();
    expect(() => verified(behind, rotated.secret)).toThrow("No matching signature found");
    const alone = (await at.server.post(path, { overlapMs: 0 })).json;
    expect(Object.keys(alone)).toEqual(["secret"]);
    await at.completed(receiver.url());
    const [, , last] = await receiver.called(3);
    expect(verified(last, alone.secret)).toBeDefined();
    expect(() => verified(last, brief.secret)).toThrow("No matching signature found");
  });

  test("a completion after a retry is another webhook; the one before keeps its body", async () => {
    let isUp = false;
    await using receiver = await WebhookReceiver.start((response) =>
      response.writeHead(isUp ? 200 : 503).end(),
    );
    const job = await at.server.run(at.endpoint, {}, { webhook: receiver.url() });
    await at.worker.take();
    await at.worker.done(job, { error: "the first time" });
    await receiver.called();
    await at.server.post(`/v2/${at.endpoint}/retry/${job}`);
    await at.worker.take();
    await at.worker.done(job, { output: "the second time" });
    isUp = true;
    await at.untilListed("DELIVERED", 2);

    const bodies = Map.groupBy(receiver.calls, ({ headers }) => headers["webhook-id"]);
    expect(bodies.size).toBe(2);
    const [first = [], second = []] = bodies.values();
    for (const { body } of first) expect(JSON.parse(body)).toMatchObject({ error: "the first time" });
    for (const { body } of second) expect(JSON.parse(body)).toMatchObject({ output: "the second time" });
    expect(first.length).toBeGreaterThan(1);
  });

  test("a receiver that never answers is cut after the timeout; the list says why", async () => {
    await using receiver = await WebhookReceiver.start(() => undefined);
    await at.completed(receiver.url());
    const [failed] = await at.untilListed("FAILED");
    expect(failed).toMatchObject({ attempts: 3, error: expect.stringContaining("1 s") });
    expect(failed.responseStatus).toBeUndefined();
    expect(receiver.calls).toHaveLength(3);
  });

  test("the worker gets the address as it was sent, and no list shows it", async () => {
    const webhook = "https://user:canary@a.example/hook?token=canary";
    const job = await at.server.run(at.endpoint, {}, { webhook });
    expect((await at.worker.take()).text).toBe(`{"id":"${job}","webhook":"${webhook}","input":{}}`);
    await at.worker.done(job, { output: 1 });
    await until("it is listed", async () => (await at.listed()).length > 0);
    const answers = [
      await at.server.get(`/v1/endpoints/${at.endpoint}/webhooks`),
      await at.server.get(`/v2/${at.endpoint}/status/${job}`),
      await at.server.get(`/v2/${at.endpoint}/requests`),
      await at.server.get(`/v1/endpoints/${at.endpoint}/jobs/${job}/input`),
    ];
    for (const { text } of answers) expect(text).not.toContain("canary");
    expect((await at.listed())[0].receiver).toBe("a.example:443");
  });

  test("large outputs go out as they are", async () => {
    await using receiver = await WebhookReceiver.start();
    const output = "é".repeat(1_000_000);
    await at.completed(receiver.url(), output);
    const [call] = await receiver.called();
    expect(JSON.parse(call?.body ?? "").output).toBe(output);
    expect(verified(call, await at.secret())).toBeDefined();
  });

  test("T2: what can never be called makes no job, and the refusal names the setting", async () => {
    for (const address of ["http://10.0.0.1/hook", "http://[::1]/", "http://169.254.169.254/latest"]) {
      for (const operation of ["run", "runsync"]) {
        const { status, json } = await at.server.post(`/v2/${at.endpoint}/${operation}`, {
          input: {},
          webhook: address,
        });
        expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
        expect(json.error).toContain("FOREBAY_WEBHOOK_ALLOW");
      }
    }
    expect((await at.server.get(`/v2/${at.endpoint}/requests`)).json.requests).toEqual([]);
  });
});

function verified(call: WebhookCall | undefined, secret: string): unknown {
  if (call === undefined) throw new Error("no call came");
  const headers = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [
      name,
      String(call.headers[name]),
    ]),
  );
  return new Webhook(secret).verify(call.body, headers);
}
