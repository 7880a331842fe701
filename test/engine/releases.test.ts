import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import type { Endpoint } from "../../src/domain/endpoint.ts";
import { type Template, TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { askReplacement } from "../../src/engine/fleet-state.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { purposeOf } from "../../src/engine/secret-box.ts";
import { createEndpoint, updateEndpoint } from "../../src/engine/records/endpoints.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { deleteOrphanReleases, ensureReleases, rollBack } from "../../src/engine/records/releases.ts";
import type { StoredRelease } from "../../src/engine/records/record-bodies.ts";
import { createTemplate, updateTemplate } from "../../src/engine/records/templates.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { submit } from "../../src/engine/submit.ts";
import { TestEngine } from "../support/test-engine.ts";

describe("releases are made only if workers start from something else", () => {
  let on: TestEngine;
  let template: string;
  let endpoint: string;
  let record: Endpoint;
  beforeEach(async () => {
    on = await TestEngine.start();
    const fields = { ...TEMPLATE_DEFAULTS, name: "t", imageName: "process/a", env: { TOKEN: "s3cr3t" } };
    ({ id: template } = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields));
    const wish = { name: "e", templateId: template };
    record = await createEndpoint(on.engine, DEFAULT_ACCOUNT.id, wish);
    endpoint = record.id;
  });
  afterEach(() => on.stop());

  const update = (changes: Partial<Template>) =>
    updateTemplate(on.engine, DEFAULT_ACCOUNT.id, template, changes);
  const releases = () => on.engine.configuration.releases(endpoint);

  /** A worker of this version. */
  async function workerOf(version: number) {
    const of = on.engine.configuration.get("endpoint", endpoint);
    if (of === undefined) throw new Error("there is no endpoint");
    const kind = { many: false, managed: true, version };
    const { record } = await createWorkerToken(on.engine, of, kind);
    const now = on.clock.now();
    const times = { orderedAt: now, runsSince: now, lastJobAt: now };
    on.engine.fleet.managed.set(record.id, { endpoint, ...times, hasCalled: true });
    return { endpoint, id: record.id, sharesToken: false };
  }
  const run = () => {
    const body = new TextEncoder().encode('{"input":{}}');
    const secrets = { s3Config: undefined, webhook: undefined, idempotency: undefined };
    return submit(on.engine, { endpoint, kind: "run", body, policy: {}, retention: 0, ...secrets });
  };

  const numbers = (): number[] => releases().map(({ number }) => number);

  test.each<Partial<Template>>([
    { imageName: "process/b" },
    { dockerStartCmd: ["--small"] },
    { env: { TOKEN: "s3cr3t", MORE: "1" } },
  ])("%j makes one of processes, and once", async (change) => {
    await update(change);
    await update(change);
    await ensureReleases(on.engine);
    expect(numbers()).toEqual([2, 1]);
  });

  test.each<Partial<Template>>([
    { dockerEntrypoint: ["python"] },
    { ports: ["80/http"] },
    { containerDiskInGb: 1 },
    { volumeInGb: 0 },
    { volumeMountPath: "/data" },
  ])("%j makes one of containers, and once", async (change) => {
    await on.stop();
    on = await TestEngine.start(undefined, "containers", () => true);
    const fields = { ...TEMPLATE_DEFAULTS, name: "t", imageName: "team/worker:1" };
    ({ id: template } = await createTemplate(on.engine, DEFAULT_ACCOUNT.id, fields));
    ({ id: endpoint } = await createEndpoint(on.engine, DEFAULT_ACCOUNT.id, { templateId: template }));
    await update(change);
    await update(change);
    expect(numbers()).toEqual([2, 1]);
  });

  test("a change that a process does not start from makes none, by any server", async () => {
    await update({ ports: ["80/http"], containerDiskInGb: 1, volumeInGb: 1, volumeMountPath: "/data" });
    await updateEndpoint(on.engine, DEFAULT_ACCOUNT.id, endpoint, { shmSizeInMb: 4 });
    await ensureReleases(on.engine);
    expect(numbers()).toEqual([1]);
    await update({ env: {} });
    expect(numbers()).toEqual([2, 1]);
    // What it says now is in the release that it takes to bring the first version back.
    await rollBack(on.engine, record, 1);
    await update({ ports: [] });
    expect(numbers()).toEqual([3, 2, 1]);
  });

  test("a release of an older version derives that from its members", async () => {
    const [first] = releases();
    if (first === undefined) throw new Error("there is no release");
    await putRecord(on.engine, "release", withoutEffect(on.engine, first));
    await update({ ports: ["80/http"] });
    expect(numbers()).toEqual([1]);
    await update({ env: {} });
    expect(numbers()).toEqual([2, 1]);
  });

  test.each<Partial<Template>>([{ name: "other" }, { readme: "# text" }, { isPublic: true }])(
    "%j makes none",
    async (change) => {
      await update(change);
      expect(releases()).toHaveLength(1);
    },
  );

  test("the order of the environment makes none", async () => {
    await update({ env: { B: "2", A: "1" } });
    await update({ env: { A: "1", B: "2" } });
    expect(releases()).toHaveLength(2);
  });

  test("the environment is stored sealed, and so is what derives from it", () => {
    expect(JSON.stringify(releases())).not.toContain("s3cr3t");
    expect(Object.keys(releases()[0] ?? {})).not.toContain("source");
  });

  test("those of older data, or of a server that died, are made later; unused ones are deleted", async () => {
    const [release] = releases();
    await on.engine.store.apply([{ step: "remove", kind: "release", id: release?.id ?? "" }], 0);
    await on.engine.configuration.refresh();
    expect(releases()).toEqual([]);
    await ensureReleases(on.engine);
    expect(releases().map(({ number }) => number)).toEqual([1]);
    await on.engine.store.apply([{ step: "remove", kind: "endpoint", id: endpoint }], 0);
    await on.engine.configuration.refresh();
    await deleteOrphanReleases(on.engine);
    expect(on.engine.configuration.all("release")).toEqual([]);
  });

  test("a job goes to a worker of the newest version, though an old one has waited longer", async () => {
    const [old, fresh] = [await workerOf(1), await workerOf(2)];
    await update({ imageName: "process/b" });
    const first = on.take(old, { hold: 20_000 });
    await on.clock.advance(10);
    const second = on.take(fresh, { hold: 20_000 });
    await on.clock.advance(10);
    const { id } = await run();
    expect(await second).toMatchObject([{ id }]);
    // And to the old one where no other waits.
    const next = await run();
    expect(await first).toMatchObject([{ id: next.id }]);
  });

  test("the calls of a worker that is replaced are held, and return empty", async () => {
    const worker = await workerOf(1);
    askReplacement(on.engine, worker);
    await run();
    let isAnswered = false;
    const call = on.take(worker, { hold: 20_000 }).then((jobs) => {
      isAnswered = true;
      return jobs;
    });
    await on.clock.advance(19_000);
    expect(isAnswered).toBe(false);
    await on.clock.advance(1_000);
    expect(await call).toEqual([]);
  });
});

/** As a release was stored before it told what its worker starts from. */
function withoutEffect({ secrets }: Engine, release: StoredRelease): StoredRelease {
  const purpose = purposeOf("release", release.id);
  const opened = secrets.open(Buffer.from(release.sealed, "base64"), purpose);
  const { effect: _, ...part } = JSON.parse(Buffer.from(opened).toString());
  const sealed = secrets.seal(Buffer.from(JSON.stringify(part)), purpose);
  return { ...release, sealed: Buffer.from(sealed).toString("base64") };
}
