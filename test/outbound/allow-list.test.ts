import { describe, expect, test } from "bun:test";
import { devConfig } from "../../src/cli/dev/handler-server.ts";
import { loadConfig } from "../../src/config/config.ts";
import { startReceiver } from "../support/receiver.ts";
import { call, testOutbound } from "../support/test-outbound.ts";

describe("FOREBAY_WEBHOOK_ALLOW", () => {
  test("is empty at first: nothing inside may be called, and what is refused names it", async () => {
    expect(loadConfig({}, {}).webhookAllow).toBe("");
    const outbound = testOutbound({ allow: "" });
    expect(outbound.refusal("http://10.1.2.3/")).toBe(
      "10.1.2.3 is not a public address (a private network). To allow it, set FOREBAY_WEBHOOK_ALLOW.",
    );
    expect(outbound.refusal("https://example.com/")).toBeUndefined();
    expect(outbound.refusal("https://93.184.216.34/")).toBeUndefined();
  });

  test("permits the networks that it names, and no others", async () => {
    await using receiver = await startReceiver({
      host: "::",
      answer: (socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"),
    });
    const outbound = testOutbound({ allow: "127.0.0.2/31, ::1" });
    const permitted = ["127.0.0.2", "127.0.0.3", "[::1]"];
    for (const host of permitted) expect(await call(outbound, `http://${host}:${receiver.port}/`)).toBe(200);
    for (const host of ["127.0.0.1", "127.0.0.4", "[::ffff:127.0.0.2]", "0.0.0.0", "[::]"]) {
      expect(await call(outbound, `http://${host}:${receiver.port}/`)).toMatch(/FOREBAY_WEBHOOK_ALLOW/);
    }
    expect(receiver.addresses).toEqual(["127.0.0.2", "127.0.0.3", "::1"]);
  });

  test("has loopback on it in `forebay dev`, beside what the environment names", () => {
    expect(devConfig(undefined, {}).webhookAllow).toBe("127.0.0.0/8,::1");
    expect(devConfig("0", { FOREBAY_WEBHOOK_ALLOW: "10.0.0.0/8" }).webhookAllow).toBe(
      "127.0.0.0/8,::1,10.0.0.0/8",
    );
    expect(() => devConfig(undefined, { FOREBAY_WEBHOOK_ALLOW: "x" })).toThrow("expected networks like");
    const outbound = testOutbound({ allow: devConfig(undefined, {}).webhookAllow });
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      expect(outbound.refusal(`http://${host}:3000/`)).toBeUndefined();
    }
    expect(outbound.refusal("http://192.168.1.2/")).toMatch(/FOREBAY_WEBHOOK_ALLOW/);
  });

  test("is taken from the flag or the environment, and stops the start when it names no networks", () => {
    const good = [
      "",
      " ",
      "10.0.0.0/8",
      "10.0.0.0/8,fd00::/8",
      " 10.1.2.3 , ::1 ",
      "0.0.0.0/0,::/0",
      "::ffff:0:0/96",
    ];
    for (const given of good) {
      expect(loadConfig({}, { FOREBAY_WEBHOOK_ALLOW: given }).webhookAllow).toBe(given);
      expect(loadConfig({ "webhook-allow": given }, {}).webhookAllow).toBe(given);
    }
    const bad = [
      "10.0.0.0/33",
      "fd00::/129",
      "10.0.0",
      "localhost",
      "10.0.0.0/8;fd00::/8",
      ",",
      "10.0.0.0/8,",
    ];
    for (const given of [...bad, "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/255.0.0.0", "010.0.0.0/8", "[::1]"]) {
      expect(() => loadConfig({}, { FOREBAY_WEBHOOK_ALLOW: given })).toThrow(
        "FOREBAY_WEBHOOK_ALLOW: expected networks like 10.0.0.0/8,fd00::/8 or addresses, separated by commas",
      );
    }
  });
});
