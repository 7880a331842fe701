import { describe, expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import type { ServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";
import { sharedServers } from "./shared-servers.ts";

/** A killed server's attempts are another's when their claims are over: the timeout, and 10 s. */
const TIMEOUT = 500;
const TAKEN_OVER = TIMEOUT + 10_000 + 5_000;

describe("webhooks of two servers on one database", () => {
  const servers = sharedServers();

  const start = (flags: Record<string, string> = {}): Promise<ServerProcess> =>
    servers.startProcess({ flags: { ...LOOPBACK_ALLOWED, "webhook-pause-ms": "200", ...flags } });

  async function cancelled(server: ServerProcess, endpoint: string, webhook: string): Promise<void> {
    const job = await server.run(endpoint, {}, { webhook });
    await server.post(`/v2/${endpoint}/cancel/${job}`);
  }

  /** Resolves when so many of the endpoint's webhooks were delivered. */
  function delivered(server: ServerProcess, endpoint: string, count: number, limit?: number) {
    return until(
      `${count} webhooks are delivered`,
      async () => {
        const path = `/v1/endpoints/${endpoint}/webhooks?status=DELIVERED&limit=1000`;
        const { webhooks } = (await server.get(path)).json;
        return webhooks.length === count && webhooks;
      },
      limit,
    );
  }

  test("P19: each is delivered once, whichever server ends the job, signed with one secret", async () => {
    await using receiver = await WebhookReceiver.start();
    const [a, b] = [await start(), await start()];
    const endpoint = await a.endpoint({ rateLimits: { cancel: { requests: 1_000, concurrent: 100 } } });
    await until("the other knows the endpoint", async () => {
      return (await b.get(`/v1/endpoints/${endpoint}`)).status === 200;
    });
    const calls = Array.from({ length: 60 }, (_, n) =>
      cancelled(n % 2 === 0 ? a : b, endpoint, receiver.url(`/${n}`)),
    );
    await Promise.all(calls);
    await delivered(a, endpoint, 60);
    expect(receiver.calls.map(({ path }) => path).toSorted()).toEqual(
      Array.from({ length: 60 }, (_, n) => `/${n}`).toSorted(),
    );
    const secrets = await Promise.all(
      [a, b].map(
        async (server) => (await server.get(`/v1/endpoints/${endpoint}/webhook-secret`)).json.secret,
      ),
    );
    expect(new Set(secrets).size).toBe(1);
    const names = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    for (const { body, headers } of receiver.calls) {
      const signed = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
      expect(new Webhook(secrets[0]).verify(body, signed)).toMatchObject({ status: "CANCELLED" });
    }
  });

  test("R18, kill first: what a killed server had begun another makes again, with the same id", async () => {
    await using receiver = await WebhookReceiver.start((response, _call, nth) => {
      // The first attempt is under way when its server is killed.
      if (nth > 1) response.end();
    });
    const short = { "webhook-timeout-ms": String(TIMEOUT) };
    const a = await start(short);
    const endpoint = await a.endpoint();
    await cancelled(a, endpoint, receiver.url());
    await receiver.called();
    await a.kill();
    const b = await start(short);
    expect(await delivered(b, endpoint, 1, TAKEN_OVER)).toMatchObject([{ attempts: 1 }]);
    const ids = receiver.calls.map(({ headers }) => headers["webhook-id"]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  }, 60_000);
});
