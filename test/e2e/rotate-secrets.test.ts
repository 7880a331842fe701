import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { sealedWorld } from "../support/sealed-world.ts";
import { ServerProcess } from "../support/server-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";
import { LOOPBACK_ALLOWED, WebhookReceiver } from "../support/webhook-receiver.ts";

/** When the server is killed: the new key has just been written, or so many marks of commits have come. */
const KILLED_AT = ["key", 1, 3, 5, 7, 9] as const;

test("T8: a kill at any point of a rotation loses no secret, and the next one finishes it", async () => {
  await using receiver = await WebhookReceiver.start();
  let marks = 0;
  let killAt = Infinity;
  const server = await ServerProcess.start({
    flags: LOOPBACK_ALLOWED,
    onMarks: (text) => {
      marks += text.length;
      if (marks >= killAt) void kill();
    },
  });
  /** What the kills have left for the next rotations. */
  let left = 0;
  let killed: Promise<void> | undefined;
  const kill = () => (killed ??= server.kill());
  const keys = () => readFileSync(join(server.directory, "data.key"), "utf8").trim().split("\n");
  // Most of these calls end with the server.
  const begin = () => server.post("/v1/secrets/rotate", {}).catch(() => undefined);
  /** Whether the new key was seen while the rotation went on, which takes 30 ms. */
  const isSeen = async (rotation: Promise<unknown>): Promise<boolean> => {
    let isOver = false;
    void rotation.then(() => (isOver = true));
    await until("the new key was written", () => isOver || keys().length === 2);
    return keys().length === 2;
  };
  const world = await sealedWorld(server, receiver, 120);
  try {
    for (const at of KILLED_AT) {
      let before = keys();
      expect(before).toHaveLength(1);
      [marks, killAt] = [0, at === "key" ? Infinity : at];
      let cut = begin();
      if (at === "key") {
        // One that was over before this busy machine looked is followed by the next.
        while (!(await isSeen(cut))) {
          before = keys();
          cut = begin();
        }
        await kill();
      }
      await cut;
      await kill();
      killed = undefined;
      killAt = Infinity;
      expect(keys().some((key) => before.includes(key)) || keys().length === 1).toBe(true);

      await server.startAgain();
      await world.opens(server);
      const { status, stdout, stderr } = await rotate(server.url);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain("The old key was removed");
      left += Number.parseInt(stdout, 10);
    }
    expect(left).toBeGreaterThan(0);
    await server.kill();
    await server.startAgain();
    await world.opens(server);
    await world.isUsed(server);
  } finally {
    await server.stop();
  }
}, 180_000);

function rotate(url: string) {
  return new ForebayCommand(["secrets", "rotate"], {
    env: { FOREBAY_URL: url, FOREBAY_KEY: TEST_KEY },
  }).ended();
}
