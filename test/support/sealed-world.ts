import { expect } from "bun:test";
import type { TestClient } from "./test-client.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

const ENV = { TOKEN: "env-s3cr3t", EMPTY: "" };
const HEADERS = { "X-Shared": "header-s3cr3t" };

/** One of each kind of secret that a server keeps, and many jobs with some. */
export interface SealedWorld {
  /** How many values lie sealed. */
  readonly sealed: number;
  /** Fails unless every configured secret opens, and is what it was. */
  opens(server: TestClient): Promise<void>;
  /** Takes every job and calls every webhook: fails unless each has its own secrets. */
  isUsed(server: TestClient): Promise<void>;
}

/** `receiver` refuses what it is called for until `isUsed`. */
export async function sealedWorld(
  server: TestClient,
  receiver: WebhookReceiver,
  jobs: number,
): Promise<SealedWorld> {
  const wish = { name: "sealed", imageName: "team/worker:1", env: ENV };
  const template = (await server.post("/v1/templates", wish)).json.id;
  await server.post("/v1/containerregistryauth", { name: "sealed", username: "u", password: "login-s3cr3t" });
  const endpoint = await server.endpoint({ webhookHeaders: HEADERS, webhookRetries: 0, env: ENV });
  const secretPath = `/v1/endpoints/${endpoint}/webhook-secret`;
  await server.get(secretPath);
  const { json: secrets } = await server.post(`${secretPath}/rotate`, {});
  const told = await server.run(endpoint, {}, { webhook: receiver.url("/ended?token=url-s3cr3t") });
  await server.post(`/v2/${endpoint}/cancel/${told}`);
  await receiver.called();
  // The second, sealed, is too large for a row.
  const s3Of = (n: number) => ({ accessSecret: n === 1 ? "s".repeat(65_500) : `s3-s3cr3t-${n}` });
  const webhookOf = (n: number) => `https://user:pass@a.invalid/${n}`;
  for (let n = 0; n < jobs; n++) {
    await server.run(endpoint, { n }, { s3Config: s3Of(n), webhook: webhookOf(n) });
  }
  return {
    // Two environments, the login, the headers, two secrets, what the cancelled job and its delivery have.
    sealed: 2 * jobs + 8,

    async opens(now) {
      expect((await now.get(`/v1/templates/${template}`)).json.env).toEqual(ENV);
      expect((await now.get(`/v1/endpoints/${endpoint}`)).json.env).toEqual(ENV);
      expect((await now.get(secretPath)).json).toEqual(secrets);
    },

    async isUsed(now) {
      const { webhooks } = (await now.get(`/v1/endpoints/${endpoint}/webhooks`)).json;
      const before = receiver.calls.length;
      await now.post(`/v1/endpoints/${endpoint}/webhooks/${webhooks[0].id}/redeliver`, {});
      const call = (await receiver.called(before + 1)).at(-1);
      expect(call?.path).toBe("/ended?token=url-s3cr3t");
      expect(call?.headers["x-shared"]).toBe(HEADERS["X-Shared"]);

      const worker = await now.worker(endpoint);
      const seen = new Set<number>();
      while (seen.size < jobs) {
        const taken = (await worker.takeBatch(10, 1)).json;
        expect(taken.length).toBeGreaterThan(0);
        for (const { id, input, s3Config, webhook } of taken) {
          expect({ s3Config, webhook }).toEqual({ s3Config: s3Of(input.n), webhook: webhookOf(input.n) });
          seen.add(input.n);
          await worker.done(id, { output: null });
        }
      }
    },
  };
}
