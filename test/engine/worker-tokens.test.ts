import { expect, test } from "bun:test";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { digestOf } from "../../src/engine/digest.ts";
import { TestEngine } from "../support/test-engine.ts";

test("only a worker that Forebay starts has a server and a start time", async () => {
  const t = await TestEngine.start();
  const endpoint = t.engine.configuration.get("endpoint", t.endpoint);
  if (endpoint === undefined) throw new Error("the endpoint is gone");
  const managed = await createWorkerToken(t.engine, endpoint, { many: false, managed: true, version: 3 });
  const own = await createWorkerToken(t.engine, endpoint, { many: true, managed: false });

  const known = ({ record }: typeof own) => t.engine.configuration.get("worker", record.id);
  const common = { account: endpoint.account, endpoint: t.endpoint };
  expect(known(managed)).toMatchObject({
    ...common,
    id: expect.stringMatching(/^w[a-z0-9]{14}_3$/),
    many: false,
    managed: true,
    server: "test-server",
    startedAt: t.clock.now(),
    digest: digestOf(managed.token),
  });
  expect(known(own)).toMatchObject({
    ...common,
    id: expect.stringMatching(/^w[a-z0-9]{14}$/),
    many: true,
    managed: false,
    digest: digestOf(own.token),
  });
  expect([known(own)?.server, known(own)?.startedAt]).toEqual([undefined, undefined]);
  await t.stop();
});
