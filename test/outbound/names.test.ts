import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DnsAnswer, type RecordType, startDnsServer } from "../support/dns-server.ts";
import { startReceiver } from "../support/receiver.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { call, testOutbound } from "../support/test-outbound.ts";

/** Here 127.0.0.2 stands for the internet: it alone is on the list. */
const OUTSIDE = "127.0.0.2";
const INSIDE = "127.0.0.1";
const NO_ADDRESS = "hook.test has no public address. To allow private ones, set FOREBAY_WEBHOOK_ALLOW.";

const only =
  (...addresses: readonly string[]) =>
  (_: string, type: RecordType): DnsAnswer => ({
    addresses: addresses.filter((address) => address.includes(":") === (type === "AAAA")),
  });

describe("a name", () => {
  test("is called at its address", async () => {
    await using trial = await nameTrial(only(OUTSIDE));
    expect(await trial.call()).toBe(200);
    expect(trial.names.queries.toSorted()).toEqual(["A hook.test", "AAAA hook.test"]);
  });

  test("that has only addresses inside is not called, in the words for a name that has none", async () => {
    for (const address of [INSIDE, "10.0.0.1", "169.254.169.254", "::1", "::ffff:7f00:2", "fd00:ec2::254"]) {
      await using trial = await nameTrial(only(address));
      expect(await trial.call()).toBe(NO_ADDRESS);
      expect(trial.receiver.addresses).toEqual([]);
    }
    await using trial = await nameTrial(() => "no such name");
    expect(await trial.call()).toBe(NO_ADDRESS);
  });

  test("that has addresses inside and outside is called only outside, in any order", async () => {
    for (const addresses of [
      [INSIDE, OUTSIDE],
      [OUTSIDE, INSIDE],
      ["::1", OUTSIDE, "10.0.0.1"],
    ]) {
      await using trial = await nameTrial(only(...addresses));
      for (let round = 0; round < 5; round += 1) expect(await trial.call()).toBe(200);
      expect(trial.receiver.addresses).toEqual(Array(5).fill(OUTSIDE));
    }
  });

  test("that is another name for something inside is not called", async () => {
    await using trial = await nameTrial((_, type) => ({
      addresses: type === "A" ? [INSIDE] : [],
      alias: "db.inside.test",
    }));
    expect(await trial.call()).toBe(NO_ADDRESS);
    expect(trial.receiver.addresses).toEqual([]);
  });

  test("that moves inside is looked at once a call, and called where it was then", async () => {
    let looks = 0;
    await using trial = await nameTrial((name, type) => {
      if (type === "AAAA") return { addresses: [] };
      looks += 1;
      return only(looks % 2 === 1 ? OUTSIDE : INSIDE)(name, type);
    });
    for (let round = 0; round < 20; round += 1) {
      expect(await trial.call()).toBe(round % 2 === 0 ? 200 : NO_ADDRESS);
    }
    expect(looks).toBe(20);
    expect(trial.receiver.addresses).toEqual(Array(10).fill(OUTSIDE));
  });

  test("is called at its next address when one takes no connection, and at most at four", async () => {
    // It listens at one address only.
    const away = ["127.0.0.11", "127.0.0.12", "127.0.0.13", "127.0.0.14"];
    await using found = await nameTrial(
      only(...away.slice(0, 3), OUTSIDE),
      "127.0.0.0/8",
      "/dev/null",
      OUTSIDE,
    );
    expect(await found.call()).toBe(200);
    await using missed = await nameTrial(only(...away, OUTSIDE), "127.0.0.0/8", "/dev/null", OUTSIDE);
    expect(await missed.call()).toBe("The receiver refused the connection.");
    expect(missed.receiver.addresses.length).toBe(0);
  });

  test("that nobody answers for is given up after the time of the call", async () => {
    await using trial = await nameTrial(() => "silence");
    const start = performance.now();
    expect(await trial.call(300)).toBe("There was no answer within 0.3 s.");
    expect(performance.now() - start).toBeGreaterThanOrEqual(300);
  });

  test("is called by one family of addresses soon when nobody answers for the other", async () => {
    await using trial = await nameTrial((name, type) =>
      type === "A" ? only(OUTSIDE)(name, type) : "silence",
    );
    // The resolver gives up after 15 s: a call that waited for it would be over.
    expect(await trial.call(14_000)).toBe(200);
  });

  test("whose name server fails is not called, and the reason says so", async () => {
    await using trial = await nameTrial(() => "server failure");
    expect(await trial.call()).toBe("hook.test could not be looked up (ESERVFAIL).");
  });

  test("that nobody answers for delays no other: 200 of them, and a good one", async () => {
    await using trial = await nameTrial((name, type) =>
      name === "hook.test" ? only(OUTSIDE)(name, type) : "silence",
    );
    const hung = Array.from({ length: 200 }, (_, index) => trial.call(3_000, `hung-${index}.test`));
    expect(await Promise.race([trial.call(), ...hung])).toBe(200);
    expect(new Set(await Promise.all(hung))).toEqual(new Set(["There was no answer within 3 s."]));
  });

  test("of the hosts file is what the file says, and that is checked too", async () => {
    await using directory = await temporaryDirectory();
    const hostsFile = join(directory.path, "hosts");
    await writeFile(
      hostsFile,
      `# names\n${INSIDE} db DB.inside.test # ours\n\n${OUTSIDE}\tpartner.test hook.test\n`,
    );
    await using trial = await nameTrial(() => "no such name", OUTSIDE, hostsFile);
    expect(await trial.call()).toBe(200);
    expect(await trial.call(20_000, "HOOK.test.")).toBe(200);
    expect(await trial.call(20_000, "db")).toMatch(/^db has no public address/);
    expect(await trial.call(20_000, "db.inside.test")).toMatch(/no public address/);
    expect(trial.names.queries).toEqual([]);
    await trial.call(20_000, "ours");
    expect(trial.names.queries).toContain("A ours");
    expect(trial.receiver.addresses).toEqual([OUTSIDE, OUTSIDE]);
  });

  test("localhost, and each below it, is this machine, and DNS is not asked", async () => {
    await using trial = await nameTrial(only(OUTSIDE));
    for (const name of ["localhost", "LOCALHOST", "localhost.", "a.b.localhost"]) {
      expect(await trial.call(20_000, name)).toMatch(/has no public address/);
      expect(trial.outbound.refusal(`http://${name}/`)).toMatch(/FOREBAY_WEBHOOK_ALLOW/);
    }
    expect(trial.names.queries).toEqual([]);
    expect(trial.receiver.addresses).toEqual([]);
    await using open = await nameTrial(only(), "127.0.0.1");
    expect(open.outbound.refusal("http://localhost/")).toBeUndefined();
    expect(await open.call(20_000, "localhost")).toBe(200);
  });

  test("is not looked up to be refused", async () => {
    await using trial = await nameTrial(only(INSIDE));
    expect(trial.outbound.refusal("http://hook.test/")).toBeUndefined();
    expect(trial.names.queries).toEqual([]);
  });
});

/** A receiver at all addresses of this machine, and a name server that leads to it. */
async function nameTrial(
  answer: (name: string, type: RecordType) => DnsAnswer,
  allow = OUTSIDE,
  hostsFile = "/dev/null",
  host = "::",
) {
  const names = await startDnsServer(answer);
  const receiver = await startReceiver({
    host,
    answer: (socket) => void socket.end("HTTP/1.1 200 OK\r\n\r\n"),
  });
  const outbound = testOutbound({ names, allow, hostsFile });
  return {
    names,
    receiver,
    outbound,
    call: (timeout = 20_000, name = "hook.test") =>
      call(outbound, `http://${name}:${receiver.port}/`, timeout),
    async [Symbol.asyncDispose]() {
      await names[Symbol.asyncDispose]();
      await receiver.stop();
    },
  };
}
