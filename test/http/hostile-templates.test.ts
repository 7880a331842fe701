import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RawConnection } from "../support/raw-connection.ts";
import { TestServer } from "../support/test-server.ts";

/** What a template might say to reach the host that its workers run on (threat T3, input 28). */
const HOSTILE: readonly (readonly [member: string, value: unknown, as?: unknown])[] = [
  ...[
    "--privileged",
    "-v/:/host",
    "a;rm -rf /",
    "a\nb",
    "a b",
    "$(id)",
    "`id`",
    "a|b",
    "../../etc",
    "/bin/sh",
    "a@sha256:zz",
    "a\0",
    "\u202ea",
    "",
    `a/${"b".repeat(512)}`,
    "process/",
    "process/rm",
    "process/../bin/sh",
    "process/__proto__",
  ].map((value): [string, unknown] => ["imageName", value]),
  ...[
    "RUNPOD_AI_API_KEY",
    "RUNPOD_POD_ID",
    "RUNPOD_ENDPOINT_ID",
    "RUNPOD_PING_INTERVAL",
    "RUNPOD_WEBHOOK_GET_JOB",
    "FOREBAY_WORKER_TOKEN",
    "FOREBAY_EXCHANGE_URL",
    "A=B",
    "",
    "9A",
    "A B",
    "A\nB",
    "A\0",
    "Ä",
    "A".repeat(257),
  ].map((name): [string, unknown, unknown] => ["env", { [name]: "x" }, name]),
  ...["\0", 1, null, {}, "x".repeat(131_073)].map((value): [string, unknown] => ["env", { A: value }]),
  ["env", JSON.parse('{"__proto__":"x"}')],
  ...[
    "80/udp",
    "0/http",
    "-1/tcp",
    "70000/tcp",
    "65536/tcp",
    "80",
    "080/http",
    "80/HTTP",
    "80/tcp\n",
    80,
  ].map((port): [string, unknown] => ["ports", [port]]),
  ["ports", Array.from({ length: 10_000 }, () => "80/http")],
  ...[
    "/",
    "//",
    "data",
    "../x",
    "/a/../b",
    "/a/./b",
    "/a//b",
    "/a/",
    "/a:/b",
    "/a\0",
    "/proc",
    "/proc/1",
    "/sys",
    "/dev/mem",
    "/etc",
    "/etc/passwd",
    "/run",
    "/run/docker.sock",
    "/var/run/docker.sock",
    `/${"a".repeat(4_096)}`,
  ].map((value): [string, unknown] => ["volumeMountPath", value]),
  ...["containerDiskInGb", "volumeInGb"].flatMap((member) =>
    [-1, 1.5, 1e308, 1_000_001, "10G", true].map((value): [string, unknown] => [member, value]),
  ),
  ...["dockerEntrypoint", "dockerStartCmd"].flatMap((member) =>
    ["sh -c x", ["a\0"], [1], [null], [["a"]], Array.from({ length: 1_001 }, () => "a")].map(
      (value): [string, unknown] => [member, value],
    ),
  ),
  ["readme", "r".repeat(262_145)],
  ["readme", "\0"],
  ["name", "n".repeat(192)],
  ["name", "\0"],
  ["containerRegistryAuthId", "somebody else's"],
  ["isPublic", "true"],
];

describe("T3: hostile templates", () => {
  let server: TestServer;
  let author: { authorization: string };
  let template: string;
  beforeAll(async () => {
    server = await TestServer.start();
    author = await server.key("manage", { account: await server.account() });
    const fields = { name: "mine", imageName: "team/worker:1" };
    template = (await server.post("/v1/templates", fields, author)).json.id;
  });
  afterAll(() => server.stop());

  test.each(HOSTILE.map(([member, value, as = value]) => [member, JSON.stringify(as).slice(0, 60), value]))(
    "%s: %s is refused by name in create, update and PATCH, and leaves nothing",
    async (member, _shown, value) => {
      const fields = { name: crypto.randomUUID(), imageName: "team/worker:1", [member]: value };
      const before = (await server.get("/v1/templates", author)).text;
      for (const answer of [
        await server.post("/v1/templates", fields, author),
        await server.post(`/v1/templates/${template}/update`, { [member]: value }, author),
        await server.call("PATCH", `/v1/templates/${template}`, { [member]: value }, author),
      ]) {
        expect([answer.status, answer.json.code]).toEqual([400, "INVALID_FIELD"]);
        expect(answer.json.error).toStartWith(member);
      }
      expect((await server.get("/v1/templates", author)).text).toBe(before);
    },
  );

  test("members that would mean something to an engine are neither stored nor answered", async () => {
    const extra = {
      privileged: true,
      Privileged: true,
      HostConfig: { Binds: ["/:/host"] },
      Binds: ["/:/host"],
      mounts: [{ source: "/var/run/docker.sock" }],
      gpus: "all",
      id: "chosen",
      account: "default",
      earned: 1e9,
      runtimeInMin: 1e9,
      isPlatform: true,
    };
    const fields = { name: "plain", imageName: "team/worker:1" };
    const plain = (await server.post("/v1/templates", fields, author)).json;
    const made = await server.post("/v1/templates", { ...fields, name: "extra", ...extra }, author);
    expect(made.json).toEqual({ ...plain, id: made.json.id, name: "extra" });
    expect((await server.get(`/v1/templates/${made.json.id}`, author)).json).toEqual(made.json);
    const stored = server.forebay.engine.configuration.get("template", made.json.id);
    const known = Object.keys(server.forebay.engine.configuration.get("template", plain.id) ?? {});
    expect(Object.keys(stored ?? {})).toEqual(known);
    expect((await server.get("/v1/templates/chosen", author)).status).toBe(404);
  });

  test("input 28: a readme of 50 MB is refused before it is read to its end", async () => {
    const fields = { name: "long", imageName: "team/worker:1", readme: "r".repeat(50 * 1_048_576) };
    const { status, json } = await server.post("/v1/templates", fields, author);
    expect([status, json.code]).toEqual([413, "BODY_TOO_LARGE"]);
    const unsent = new RawConnection(server.url);
    unsent.write(unsent.head("POST /v1/templates", `content-length: ${50 * 1_048_576}`));
    expect(await unsent.answers(1)).toEqual([413]);
    await unsent.closed();
  });
});
