import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { certificatesOf } from "../../src/engine/records/hosts.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { makeCertificate } from "../support/certificate.ts";
import { SilentEngine } from "../support/silent-engine.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

const GPU = { uuid: "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", name: "NVIDIA L40S", memoryInMb: 46_068 };

describe("hosts that come and go", () => {
  let directory: TemporaryDirectory;
  let server: TestServer;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    server = await TestServer.start({ flags: { data: join(directory.path, "data") } });
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  const engineAt = (name: string) => SilentEngine.at(join(directory.path, `${name}.sock`));
  const create = (fields: object) => server.post("/v1/hosts", fields);
  const remove = (path: string) => server.call("DELETE", `/v1/hosts/${path}`);
  const drain = (name: string, isDraining: boolean) =>
    server.call("PATCH", `/v1/hosts/${name}`, { isDraining });
  const names = async (): Promise<string[]> =>
    (await server.get("/v1/hosts")).json.hosts.map(({ name }: { name: string }) => name);

  test("a host is there with the GPUs that were declared, drains, and is deleted", async () => {
    const engine = await engineAt("gpu-1");
    const made = await create({ name: "gpu-1", address: engine.address, gpus: [GPU] });
    const host = {
      name: "gpu-1",
      provider: "docker",
      isConfigured: false,
      address: engine.address,
      labels: [],
      isDraining: false,
      gpus: [{ ...GPU, index: 0, state: "FREE" }],
      workers: [],
    };
    expect([made.status, made.json]).toEqual([200, expect.objectContaining(host)]);
    const shown = async () => (await server.get("/v1/hosts/gpu-1")).json;
    await until("its machine is known", async () => (await shown()).cores !== undefined);
    const known = { ...host, cores: 8, memoryInMb: 65_536 };
    expect(await shown()).toEqual(known);
    expect(await names()).toEqual(["gpu-1", "local"]);
    expect((await drain("gpu-1", true)).json).toEqual({ ...known, isDraining: true });
    expect((await shown()).isDraining).toBe(true);
    expect((await drain("gpu-1", false)).json).toEqual(known);
    expect((await remove("gpu-1")).status).toBe(204);
    expect(await names()).toEqual(["local"]);
    expect((await remove("gpu-1")).json).toMatchObject({ code: "HOST_NOT_FOUND" });
    await engine.stop();
  });

  test("the certificates of a host open its engine, are encrypted, and are in no answer", async () => {
    const authority = makeCertificate({ subject: "authority", isAuthority: true });
    const issuer = { name: "authority", key: authority.key };
    const ofServer = makeCertificate({ subject: "engine", addresses: ["127.0.0.1"], issuer });
    const engine = await SilentEngine.withTls(ofServer, authority.cert);
    const certificates = { ca: authority.cert, ...makeCertificate({ subject: "forebay", issuer }) };
    const { status, text } = await create({ name: "tls", address: engine.address, certificates });
    expect([status, text]).toEqual([200, expect.not.stringContaining("BEGIN")]);
    const stored = JSON.stringify(server.forebay.engine.configuration.get("host", "tls"));
    expect(stored).toContain('"sealed":"');
    expect(stored).not.toContain("BEGIN");
    expect((await server.post("/v1/secrets/rotate", {})).json.resealed).toBeGreaterThan(0);
    const resealed = server.forebay.engine.configuration.get("host", "tls");
    expect(JSON.stringify(resealed)).not.toBe(stored);
    expect(resealed && certificatesOf(server.forebay.engine, resealed)).toEqual(certificates);

    const other = makeCertificate({ subject: "authority", isAuthority: true });
    for (const wrong of [
      { ...certificates, ca: other.cert },
      { ...certificates, ...makeCertificate({ subject: "forebay", issuer: { ...issuer, key: other.key } }) },
    ]) {
      const { json } = await create({
        name: "other",
        address: engine.address.replace("127.0.0.1", "localhost"),
        certificates: wrong,
      });
      expect(json).toMatchObject({ code: "INVALID_FIELD", error: expect.stringContaining("certificates") });
    }
    const broken = { ...certificates, cert: "no certificate" };
    const { json } = await create({ name: "other", address: "tcp://127.0.0.1:1", certificates: broken });
    expect(json).toMatchObject({
      code: "INVALID_FIELD",
      error: "certificates.cert: is not a certificate in PEM.",
    });
    const { key } = makeCertificate({ subject: "forebay", issuer });
    const mixed = { name: "other", address: "tcp://127.0.0.1:1", certificates: { ...certificates, key } };
    expect((await create(mixed)).json.error).toBe("certificates.key: is not the key of certificates.cert.");
    expect((await remove("tls")).status).toBe(204);
    await engine.stop();
  });

  test("a host that cannot be used is refused at the call, with what to do", async () => {
    const engine = await engineAt("taken");
    const { address } = engine;
    await create({ name: "taken", address });
    const key = { ca: "a", cert: "b", key: "c" };
    const refusals: [fields: object, code: string, sentence: string | RegExp][] = [
      [{ name: "gone", address: "unix:///nowhere.sock" }, "INVALID_FIELD", /nowhere\.sock.*Start it there/],
      [{ name: "gone", address: "tcp://127.0.0.1:1" }, "INVALID_FIELD", /tcp:\/\/127\.0\.0\.1:1.*Start it/],
      [{ name: "gone", address: "http://a" }, "INVALID_FIELD", /not the address of an engine/],
      [{ name: "a b", address }, "INVALID_FIELD", /^name: must have 1 to 63 letters, digits, - and _/],
      [{ name: "taken", address }, "NAME_TAKEN", "Another host is already named taken. Choose another name."],
      [{ name: "local", address }, "NAME_TAKEN", /Another host is already named local/],
      [
        { name: "twice", address },
        "INVALID_FIELD",
        "address: host taken already uses this engine. Give another address.",
      ],
      [{ name: "twice", address: address.replace("//", "///./") }, "INVALID_FIELD", /taken already uses/],
      [{ name: "x", address, gpus: [GPU, GPU] }, "INVALID_FIELD", /^gpus: must not repeat a uuid/],
      [{ name: "x", address, certificates: key }, "INVALID_FIELD", /^certificates: only an address that/],
      [{ name: "x", address, labels: ["a b"] }, "INVALID_FIELD", /^labels.*must begin with a letter/],
      [{ name: "x", address, labels: ["a", "a"] }, "INVALID_FIELD", /^labels: must not repeat a label/],
    ];
    for (const [fields, code, sentence] of refusals) {
      const { status, json } = await create(fields);
      expect([status, json.code]).toEqual([400, code]);
      expect(json.error).toMatch(sentence);
    }
    expect(await names()).toEqual(["local", "taken"]);
    expect((await remove("taken")).status).toBe(204);
    await engine.stop();
  });

  test("labels are given at creation and changed later, and a drain leaves them", async () => {
    const engine = await engineAt("labelled");
    const change = (name: string, changes: object) => server.call("PATCH", `/v1/hosts/${name}`, changes);
    const made = await create({ name: "labelled", address: engine.address, labels: ["eu", "gpu-a"] });
    expect([made.status, made.json.labels]).toEqual([200, ["eu", "gpu-a"]]);
    expect((await drain("labelled", true)).json).toMatchObject({ labels: ["eu", "gpu-a"] });
    const changed = (await change("labelled", { labels: ["us"] })).json;
    expect(changed).toMatchObject({ labels: ["us"], isDraining: true });
    expect((await change("labelled", {})).json).toMatchObject({ labels: ["us"], isDraining: true });
    expect((await change("labelled", { labels: ["a b"] })).json).toMatchObject({ code: "INVALID_FIELD" });
    expect((await remove("labelled")).status).toBe(204);
    await engine.stop();
  });

  test("a worker waits for a host with the label of its endpoint, and runs only there", async () => {
    const change = (changes: object) => server.call("PATCH", "/v1/hosts/local", changes);
    const { json: template } = await server.post("/v1/templates", { name: "eu", imageName: "process/hello" });
    const fields = { name: "eu", templateId: template.id, hostLabel: "eu" };
    const refused = await server.post("/v1/endpoints", fields);
    expect([refused.status, refused.json]).toEqual([
      400,
      expect.objectContaining({
        code: "INVALID_FIELD",
        error: expect.stringMatching(
          /^hostLabel: none of the hosts .* has the label eu\. Choose another label/,
        ),
      }),
    ]);
    expect((await change({ labels: ["eu"] })).json).toMatchObject({ labels: ["eu"], isConfigured: true });
    const { json: endpoint } = await server.post("/v1/endpoints", fields);
    expect(endpoint.hostLabel).toBe("eu");
    await change({ labels: ["us"] });
    await server.run(endpoint.id);
    await until("the job waits, with the reason", async () => {
      const { fleet } = (await server.get(`/v1/endpoints/${endpoint.id}`)).json;
      return fleet.state === "NO_ROOM" && String(fleet.reason).includes("local does not have the label eu");
    });
    await change({ labels: ["us", "eu"] });
    await until("a worker starts", async () => (await server.get("/v1/hosts/local")).json.workers.length > 0);
    const path = `/v1/endpoints/${endpoint.id}`;
    const { version } = (await server.get(path)).json;
    expect((await server.call("PATCH", path, { hostLabel: "us" })).json.version).toBe(version + 1);
    expect((await server.call("PATCH", path, { hostLabel: null })).json.hostLabel).toBeUndefined();
    await server.call("DELETE", path);
    await change({ labels: [] });
  });

  test("the host of the settings drains, and is not deleted", async () => {
    expect((await drain("local", true)).json).toMatchObject({ isConfigured: true, isDraining: true });
    for (const path of ["local", "local?lost=true"]) {
      expect((await remove(path)).json).toMatchObject({ code: "HOST_CONFIGURED" });
    }
    expect((await server.get("/v1/hosts/local")).json.isDraining).toBe(true);
    const { json } = await server.post("/v1/templates", { name: "greeter", imageName: "process/hello" });
    const endpoint = await server.endpoint({ templateId: json.id });
    await server.run(endpoint);
    await until("the job waits, with the reason", async () => {
      const { fleet } = (await server.get(`/v1/endpoints/${endpoint}`)).json;
      return fleet.state === "NO_ROOM" && String(fleet.reason).includes("local is draining");
    });
    expect((await drain("local", false)).json.isDraining).toBe(false);
    await until("a worker starts", async () => (await server.get("/v1/hosts/local")).json.workers.length > 0);
    await server.call("DELETE", `/v1/endpoints/${endpoint}`);
  });

  test("a host with a worker is only deleted as lost, which frees its GPUs", async () => {
    const engine = await engineAt("lost");
    await create({ name: "lost", address: engine.address, gpus: [GPU] });
    const endpoint = server.forebay.engine.configuration.get("endpoint", await server.endpoint());
    if (endpoint === undefined) throw new Error("there is no endpoint");
    const kind = { many: false, managed: true, provider: "docker", host: "lost" };
    const allocation = { host: "lost", devices: [{ device: GPU.uuid, card: GPU.uuid }] };
    const { record } = await createWorkerToken(server.forebay.engine, endpoint, { ...kind, allocation });
    const { json } = await server.get("/v1/hosts/lost");
    const worker = { id: record.id, endpoint: endpoint.id };
    expect(json.gpus).toEqual([{ ...GPU, index: 0, state: "ALLOCATED", worker }]);
    expect((await remove("lost")).json).toMatchObject({
      code: "IN_USE",
      error: expect.stringContaining("Host lost has 1 worker. Drain it"),
    });
    expect((await remove("lost?lost=true")).json).toMatchObject({
      code: "IN_USE",
      error: expect.stringContaining("Host lost answers, so its workers may run."),
    });
    await engine.stop();
    await until("it is away", async () => (await server.get("/v1/hosts/lost")).json.away !== undefined);
    expect((await server.get("/metrics")).text).toContain('forebay_host_up{host="lost"} 0\n');
    expect((await remove("lost?lost=true")).status).toBe(204);
    expect(await names()).toEqual(["local"]);
    expect(await server.forebay.engine.store.allocations()).toEqual([]);
    expect(server.forebay.engine.configuration.get("worker", record.id)).toBeUndefined();
  });
});
