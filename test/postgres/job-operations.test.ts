import { describe, expect, test } from "bun:test";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import type { TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { sharedServers } from "./shared-servers.ts";

const JOBS = 400;

describe("an operation on many jobs", () => {
  const servers = sharedServers();

  test("goes on at another server if the one that runs it is killed, and makes no job twice", async () => {
    const a = await servers.startProcess();
    await until("a is the leader", () => a.logged("this server is the leader now").length > 0);
    const b = await servers.startProcess();
    const endpoint = await b.endpoint({ rateLimits: RAISED_LIMITS });
    for (let n = 0; n < JOBS; n += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => b.run(endpoint, { n: n + index })));
    }

    const { status, json } = await b.post("/v1/jobs/resubmit", { filter: { endpoint } });
    expect([status, json.matches]).toEqual([202, JOBS]);
    const read = async () => (await b.get(`/v1/job-operations/${json.id}`)).json;
    // The leader has resubmitted some of them, and has stored that of none or a part.
    await until("a has begun", async () => (await found(b, endpoint)).length > JOBS);
    await a.kill();
    const operation = await until("b ends it", async () => {
      const now = await read();
      return now.state !== "RUNNING" && now;
    });
    expect(operation).toMatchObject({ state: "COMPLETED", done: JOBS, failed: 0, skipped: 0 });
    const sources = (await found(b, endpoint)).flatMap(({ resubmittedFrom }) => resubmittedFrom?.id ?? []);
    expect([sources.length, new Set(sources).size]).toEqual([JOBS, JOBS]);
  }, 60_000);
});

interface Found {
  readonly id: string;
  readonly resubmittedFrom?: { readonly id: string };
}

async function found(client: TestClient, endpoint: string): Promise<Found[]> {
  return (await client.get(`/v1/jobs?endpoint=${endpoint}&limit=1000`)).json.jobs;
}
