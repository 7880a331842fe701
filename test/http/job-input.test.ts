import { describe, expect, test } from "bun:test";
import { freshServer } from "../support/fresh-server.ts";
import type { TestServer } from "../support/test-server.ts";

describe("the input of a job", () => {
  let server: TestServer;
  let endpoint: string;
  freshServer((fresh) => ({ server, endpoint } = fresh));

  const submit = async (body: string): Promise<string> =>
    (await server.post(`/v2/${endpoint}/run`, body)).json.id;
  const inputOf = (job: string, of = endpoint) => server.get(`/v1/endpoints/${of}/jobs/${job}/input`);

  test("is read byte for byte as it was sent, and nothing else of the submission with it", async () => {
    const input = '{"big": 12345678901234567890, "b":1,  "a":"\\u00e5", "input": {"inner": true}}';
    const s3Config = '"s3Config":{"accessSecret":"a-secret"}';
    const job = await submit(
      `{"further":{"input":0},${s3Config}, "input" : ${input} ,"webhook":"http://a/b"}`,
    );
    const answer = await inputOf(job);
    expect([answer.status, answer.text]).toEqual([200, input]);
  });

  test("is there in every state, as long as the record is", async () => {
    const worker = await server.worker(endpoint);
    const ends: Record<string, (job: string) => Promise<unknown>> = {
      COMPLETED: (job) => worker.done(job, { output: 1 }),
      FAILED: (job) => worker.done(job, { error: "no" }),
      CANCELLED: (job) => server.post(`/v2/${endpoint}/cancel/${job}`),
      TIMED_OUT: (job) => server.get(`/v2/${endpoint}/status/${job}?ttl=1`),
    };
    for (const [state, end] of Object.entries(ends)) {
      const job = await server.run(endpoint, { state });
      expect((await inputOf(job)).json).toEqual({ state });
      await worker.take();
      expect((await inputOf(job)).json).toEqual({ state });
      await end(job);
      expect((await server.ended(endpoint, job)).status).toBe(state);
      expect((await inputOf(job)).json).toEqual({ state });
    }
    const waiting = await server.run(endpoint, { n: 2 });
    await server.post(`/v2/${endpoint}/purge-queue`);
    expect((await inputOf(waiting)).json.code).toBe("JOB_NOT_FOUND");
  });

  test("is read with a key alone, and at its endpoint alone", async () => {
    const job = await server.run(endpoint);
    expect((await inputOf(job, await server.endpoint())).json.code).toBe("JOB_NOT_FOUND");
    expect((await inputOf(job, "none")).json.code).toBe("ENDPOINT_NOT_FOUND");
    const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`);
    const path = `/v1/endpoints/${endpoint}/jobs/${job}/input`;
    const asWorker = await server.get(path, { authorization: json.env.FOREBAY_WORKER_TOKEN });
    expect([asWorker.status, asWorker.json.code]).toEqual([401, "KEY_NOT_ALLOWED"]);
    expect((await server.get(path, { authorization: "unknown" })).status).toBe(401);
  });

  test("comes back whole when it is large", async () => {
    const text = "å".repeat(400_000);
    expect((await inputOf(await server.run(endpoint, { text }))).json).toEqual({ text });
  });
});
