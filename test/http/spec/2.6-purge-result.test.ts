import { expect, test } from "bun:test";
import { OneEndpoint } from "./one-endpoint.ts";

test("2.6 removed, 2.6 status, 4.A purge-queue: how many waiting jobs went, and completed", async () => {
  const at = await OneEndpoint.start();
  for (const count of [0, 3]) {
    for (let n = 0; n < count; n++) await at.submit();
    expect((await at.post("purge-queue")).json).toEqual({ removed: count, status: "completed" });
  }
  await at.stop();
});
