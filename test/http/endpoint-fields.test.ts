import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";

const NAMES_REFUSED = [["x".repeat(192)], [""], [5], "US-TX-1", Array.from({ length: 101 }, () => "x")];
const FLAG_REFUSED = ["true", 1];

/** Each public member: what it is when nobody says, what it may be, and what is refused (wire-facts 6.2). */
const MEMBERS: Readonly<Record<string, { none: unknown; kept: unknown[]; refused: unknown[] }>> = {
  name: { none: undefined, kept: ["a", "é".repeat(191)], refused: ["", "x".repeat(192), 5, "a\0"] },
  workersMin: { none: 0, kept: [1, 3], refused: [-1, 1.5, "1", 10_001] },
  workersMax: { none: 3, kept: [0, 10_000], refused: [-1, 1.5, "1", 10_001] },
  scalerType: { none: "QUEUE_DELAY", kept: ["REQUEST_COUNT"], refused: ["queue_delay", 1] },
  historyInputs: { none: "failed", kept: ["none", "all"], refused: ["NONE", "", 1, true] },
  scalerValue: { none: 4, kept: [1, 1_000_000], refused: [0, 0.5, 1_000_001] },
  idleTimeout: { none: 5, kept: [1, 3_600], refused: [0, 3_601, "5"] },
  executionTimeoutMs: { none: 600_000, kept: [5_001, 3_600_000], refused: [5_000, "600000"] },
  flashboot: { none: false, kept: [true, false], refused: FLAG_REFUSED },
  gpuCount: { none: undefined, kept: [1, 128], refused: [0, 129, 1.5, "1"] },
  gpuTypeIds: { none: [], kept: [["NVIDIA GeForce RTX 4090", "é"]], refused: NAMES_REFUSED },
  vcpuCount: { none: undefined, kept: [1, 1_024], refused: [0, 1_025, 1.5, "2"] },
  allowedCudaVersions: { none: [], kept: [["12.8", "12.4"]], refused: NAMES_REFUSED },
  minCudaVersion: { none: "", kept: ["12.4", ""], refused: ["12", "v12.4", "12.4.1", 12.4] },
  dataCenterIds: { none: [], kept: [["EU-RO-1", "US-TX-1"]], refused: NAMES_REFUSED },
  cpuFlavorIds: { none: [], kept: [["cpu3c", "cpu5g"]], refused: NAMES_REFUSED },
  instanceIds: { none: [], kept: [["cpu3c-2-4"]], refused: NAMES_REFUSED },
  env: {
    none: {},
    kept: [{ MODEL: "large", _EMPTY: "" }],
    refused: [{ "A=B": "x" }, { A: 5 }, { "": "x" }, { A: "\0" }, { RUNPOD_POD_ID: "x" }, ["A"]],
  },
};

/** What the Rust client cannot read a record without, but for `version`. */
const DEMANDED = [
  "userId",
  "templateId",
  "computeType",
  "createdAt",
  "dataCenterIds",
  "executionTimeoutMs",
  "idleTimeout",
  "scalerType",
  "scalerValue",
  "workersMin",
  "workersMax",
];

describe.each(["/v1", "/sdk/v1"])("the public members of an endpoint (%s)", (base) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const fresh = async (fields: object = {}) =>
    (await server.post(`${base}/endpoints`, { name: crypto.randomUUID(), ...fields })).json;

  for (const [member, { none, kept, refused }] of Object.entries(MEMBERS)) {
    test(`${member}: its default, what it may be, and null for the default again`, async () => {
      const { id, name, ...plain } = await fresh();
      const path = `${base}/endpoints/${id}`;
      if (member !== "name") expect(plain[member]).toEqual(none);
      for (const value of kept) {
        const fields = { name: crypto.randomUUID(), workersMax: 9, [member]: value };
        const { warnings: _, ...made } = (await server.post(`${base}/endpoints`, fields)).json;
        expect(made[member]).toEqual(value);
        expect((await server.get(`${base}/endpoints/${made.id}`)).json).toEqual(made);
        await server.call("DELETE", `${base}/endpoints/${made.id}`);
        expect((await server.call("PATCH", path, { [member]: value })).json[member]).toEqual(value);
        // What a change does not name stays.
        expect((await server.post(`${path}/update`, { isPaused: false })).json[member]).toEqual(value);
      }
      if (member === "name") return;
      expect((await server.call("PATCH", path, { [member]: null })).json).toEqual({ id, name, ...plain });
    });

    test.each(refused)(`${member} is refused: %j`, async (value) => {
      const { id } = await fresh();
      const fields = { name: "n", workersMax: 10_000, [member]: value };
      for (const [method, path] of [
        ["POST", `${base}/endpoints`],
        ["PATCH", `${base}/endpoints/${id}`],
      ] as const) {
        const { status, json } = await server.call(method, path, fields);
        expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
        expect(json.error).toStartWith(member);
      }
    });
  }

  test("computeType: GPU unless it says CPU; it is said once, when the endpoint is made", async () => {
    expect((await fresh()).computeType).toBe("GPU");
    expect((await fresh({ computeType: null })).computeType).toBe("GPU");
    const { id, computeType } = await fresh({ computeType: "CPU" });
    expect(computeType).toBe("CPU");
    const refused = await server.call("PATCH", `${base}/endpoints/${id}`, { computeType: "GPU" });
    expect([refused.status, refused.json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(refused.json.error).toContain("computeType");
    expect((await server.post(`${base}/endpoints`, { name: "n", computeType: "gpu" })).status).toBe(400);
  });

  test("name: without one it is the id, where there is a template", async () => {
    const fields = { name: crypto.randomUUID(), imageName: "team/worker:1" };
    const { json: template } = await server.post(`${base}/templates`, fields);
    const { json } = await server.post(`${base}/endpoints`, { templateId: template.id });
    expect(json.name).toBe(json.id);
    expect((await server.post(`${base}/endpoints`, {})).json.code).toBe("INVALID_FIELD");
  });

  test.each([{ networkVolumeId: "vol-1" }, { networkVolumeIds: ["vol-1"] }])(
    "%j is refused with a sentence: there are no network volumes here",
    async (fields) => {
      const { status, json } = await server.post(`${base}/endpoints`, { name: "n", ...fields });
      expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
      expect(json.error).toMatch(/^networkVolumeIds?: network volumes are not supported; set volumeInGb/);
      const { id } = await fresh();
      expect((await server.call("PATCH", `${base}/endpoints/${id}`, fields)).status).toBe(400);
    },
  );

  test("no network volume may be said in every way that clients have, and none is shown", async () => {
    const made = await fresh({ networkVolumeId: "", networkVolumeIds: [] });
    expect(Object.keys(made).filter((member) => member.startsWith("networkVolume"))).toEqual([]);
    const none = { networkVolumeId: null, networkVolumeIds: null };
    expect((await server.call("PATCH", `${base}/endpoints/${made.id}`, none)).json).toEqual(made);
  });

  test("what is not the caller's to set, and what nobody knows, is refused and stored nowhere", async () => {
    const made = await fresh();
    for (const member of ["id", "userId", "account", "createdAt", "template", "workers", "gpuIds"]) {
      const { status, json } = await server.call("PATCH", `${base}/endpoints/${made.id}`, { [member]: "x" });
      expect([member, status, json.code]).toEqual([member, 400, "INVALID_FIELD"]);
      expect(json.error).toContain(member);
    }
    expect((await server.get(`${base}/endpoints/${made.id}`)).json).toEqual(made);
  });

  test("strict clients find every member that they demand, none of them null", async () => {
    const made = await fresh();
    for (const member of DEMANDED) {
      expect([member, made[member] ?? "null"]).not.toContain("null");
    }
    expect(Object.values(made)).not.toContain(null);
    expect(made.userId).toBe("default");
    expect(new Date(made.createdAt).toISOString()).toBe(made.createdAt);
  });

  test("includeTemplate brings the template, in the dialect of the path; the list has it too", async () => {
    const fields = { name: crypto.randomUUID(), imageName: "team/worker:1", env: { A: "1" } };
    const { json: template } = await server.post(`${base}/templates`, fields);
    const { id } = await fresh({ templateId: template.id });
    const path = `${base}/endpoints`;
    expect((await server.get(`${path}/${id}?includeTemplate=true`)).json.template).toEqual(template);
    expect(template.isRunpod).toBe(base === "/v1" ? undefined : false);
    const { json: list } = await server.get(`${path}?includeTemplate=true`);
    expect(list.find((one: { id: string }) => one.id === id).template).toEqual(template);
    for (const query of ["", "?includeTemplate=false"]) {
      expect((await server.get(`${path}/${id}${query}`)).json.template).toBeUndefined();
    }
    for (const query of ["includeTemplate=1", "includeWorkers=yes", "includeWorkers="]) {
      for (const place of [path, `${path}/${id}`]) {
        expect((await server.get(`${place}?${query}`)).json.code).toBe("INVALID_QUERY");
      }
    }
  });

  test("includeWorkers brings the workers that Forebay started: none where none was", async () => {
    const { id } = await fresh();
    expect((await server.get(`${base}/endpoints/${id}?includeWorkers=true`)).json.workers).toEqual([]);
    expect((await server.get(`${base}/endpoints/${id}`)).json.workers).toBeUndefined();
  });

  test("templateId is changed, taken away, and only to one that the account may use", async () => {
    const template = async (imageName: string, headers = {}, more = {}) => {
      const fields = { name: crypto.randomUUID(), imageName, ...more };
      return (await server.post(`${base}/templates`, fields, headers)).json.id;
    };
    const other = await server.key("manage", { account: await server.account() });
    const [one, two] = [await template("a"), await template("b")];
    const [theirs, open] = [await template("c", other), await template("d", other, { isPublic: true })];
    const { id } = await fresh({ templateId: one });
    const patch = async (templateId: unknown) =>
      (await server.call("PATCH", `${base}/endpoints/${id}`, { templateId })).json;
    expect((await patch(two)).templateId).toBe(two);
    for (const refused of [theirs, "nowhere"]) {
      expect((await patch(refused)).code).toBe("TEMPLATE_NOT_FOUND");
    }
    expect((await patch(5)).code).toBe("INVALID_FIELD");
    expect((await server.get(`${base}/endpoints/${id}`)).json.templateId).toBe(two);
    expect((await patch(open)).templateId).toBe(open);
    expect((await patch(null)).templateId).toBe("");
    expect((await patch(one)).templateId).toBe(one);
    expect((await patch("")).templateId).toBe("");
  });

  test("T3: what no template may tell a registered command, no endpoint tells it", async () => {
    const fields = { name: crypto.randomUUID(), imageName: "process/hello" };
    const { json: template } = await server.post(`${base}/templates`, fields);
    const wish = { templateId: template.id, env: { NODE_OPTIONS: "--require /tmp/x" } };
    const { status, json } = await server.post(`${base}/endpoints`, wish);
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    expect(json.error).toContain("NODE_OPTIONS");
    const { id } = await fresh({ env: wish.env });
    const moved = await server.call("PATCH", `${base}/endpoints/${id}`, { templateId: template.id });
    expect([moved.status, moved.json.code]).toEqual([400, "INVALID_FIELD"]);
  });
});

test("invariant 9: the values of an endpoint's variables are nowhere in the data directory", async () => {
  await using directory = await temporaryDirectory();
  const flags = { data: join(directory.path, "data") };
  const server = await TestServer.start({ flags });
  const env = { TOKEN: "canary-in-the-endpoint" };
  const endpoint = await server.endpoint({ env });
  await server.stop();
  for (const file of await readdir(flags.data, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const bytes = await readFile(join(file.parentPath, file.name));
    expect(bytes.includes("canary-in-the-endpoint")).toBe(false);
  }
  const again = await TestServer.start({ flags });
  expect((await again.get(`/v1/endpoints/${endpoint}`)).json.env).toEqual(env);
  await again.stop();
});
