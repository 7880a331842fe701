import { expect } from "bun:test";
import type { Installation } from "../support/installation.ts";

export const TYPESCRIPT = `
import * as serverless from "@forebay/worker";
import { Forebay } from "@forebay/worker/client";

function double({ input }: serverless.Job<{ n: number }>) {
  return { double: 2 * input.n, client: typeof Forebay };
}

await serverless.start({ handler: double });
`;

export const PYTHON = `
import runpod

runpod.serverless.start({"handler": lambda job: {"double": 2 * job["input"]["n"]}})
`;

/** The example endpoint answers a job, and the console comes with its script and style. */
export async function expectServing(installation: Installation): Promise<void> {
  const job = await installation.post("/v2/hello/runsync", { input: { name: "Ada" } });
  expect(job.json).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
  const frame = await (await fetch(`${installation.url}/console`)).text();
  const assets = [...frame.matchAll(/(?:src|href)="(\/console\/assets\/[^"]+)"/g)].map(([, path]) => path);
  const types = await Promise.all(
    assets.map(async (path) => {
      const response = await fetch(`${installation.url}${path}`);
      expect((await response.text()).length).toBeGreaterThan(10_000);
      return response.headers.get("content-type")?.split(";")[0];
    }),
  );
  expect(types.toSorted()).toEqual(["text/css", "text/javascript"]);
}
