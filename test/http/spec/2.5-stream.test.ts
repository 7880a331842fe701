import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

describe("spec 2.5, the stream", () => {
  let at: OneEndpoint;
  let job: string;
  beforeEach(async () => {
    at = await OneEndpoint.start();
    job = await at.jobIn("IN_PROGRESS");
  });
  afterEach(() => at.stop());

  const output = { input_tokens: 0, output_tokens: 1, text: [" a", " b"] };
  const metrics = {
    avg_gen_throughput: 0.5,
    avg_prompt_throughput: 0,
    cpu_kv_cache_usage: 0,
    gpu_kv_cache_usage: 0.0016722408026755853,
    input_tokens: 0,
    output_tokens: 1,
    pending: 0,
    running: 1,
    scenario: "stream",
    stream_index: 2,
    swapped: 0,
  };

  test("2.5 chunks: an array of objects, in the order in which the worker sent them", async () => {
    for (const n of [1, 2, 3]) await at.worker.stream(job, { output: n });
    const { status, headers, text } = await at.get(`stream/${job}`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(text).toBe('[{"output":1},{"output":2},{"output":3}]');
  });

  test("2.5 output: the shape of the sample comes back as it was sent", async () => {
    await at.worker.stream(job, { output });
    expect((await at.get(`stream/${job}`)).json).toEqual([{ output }]);
  });

  test("2.5 metrics: the shape of the sample comes back beside its output", async () => {
    await at.worker.stream(job, { output, metrics });
    expect((await at.get(`stream/${job}`)).json).toEqual([{ output, metrics }]);
  });

  test("2.5 inner shape: whatever output and metrics are, they pass byte for byte", async () => {
    const chunks = ['{"output":"b","metrics":[1.0, null]}', '{"output":{"n":1e999}}', '{"output":null}'];
    for (const chunk of chunks) await at.worker.stream(job, chunk);
    expect((await at.get(`stream/${job}`)).text).toBe(`[${chunks.join(",")}]`);
  });
});
