import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { deleteLostHost } from "../../src/engine/delete-host.ts";
import { createWorkerToken } from "../../src/engine/records/worker-tokens.ts";
import { hostOf } from "../../src/domain/host.ts";
import { HostedFleet } from "../support/hosted-fleet.ts";

const SECOND = 1_000;

describe("several hosts", () => {
  let fleet: HostedFleet;
  beforeEach(async () => {
    fleet = await HostedFleet.start(["gpu-1", "gpu-2"]);
  });
  afterEach(() => fleet.stop());

  const tokens = () => fleet.on.engine.configuration.all("worker");
  const running = (name: string) => [...fleet.engineOf(name).running];
  const report = (endpoint: string) => fleet.on.engine.fleet.reports.get(endpoint);

  /** An endpoint with so many jobs, each of which its worker runs. */
  async function busy(jobs: number, fields = {}): Promise<{ endpoint: string; jobs: string[] }> {
    const endpoint = await fleet.endpoint({ workersMax: jobs, ...fields });
    const ids = [];
    for (let job = 0; job < jobs; job++) ids.push(await fleet.submitTo(endpoint));
    await fleet.look();
    await takeAll(endpoint);
    return { endpoint, jobs: ids };
  }

  async function takeAll(endpoint: string): Promise<void> {
    for (const name of fleet.engines.keys()) {
      for (const id of running(name)) await fleet.on.take({ endpoint, id, sharesToken: false });
    }
  }

  const jobOf = (endpoint: string, id: string) => fleet.on.engine.store.job(endpoint, id);

  describe("when workers are placed", () => {
    test("eight workers with a GPU each fill two hosts; one more waits and says why", async () => {
      const endpoint = await fleet.endpoint({ workersMax: 9, gpuCount: 1 });
      for (let job = 0; job < 9; job++) await fleet.submitTo(endpoint);
      await fleet.look();
      expect([running("gpu-1").length, running("gpu-2").length]).toEqual([4, 4]);
      const ledger = await fleet.ledger();
      expect(new Set(ledger.values()).size).toBe(8);
      for (const { id, host, provider } of tokens()) {
        expect(provider).toBe("docker");
        expect(running(host ?? "")).toContain(id);
        const [device] = [...ledger].find(([, worker]) => worker === id) ?? [];
        expect(device).toStartWith(`GPU-${host}-`);
      }
      expect(report(endpoint)).toMatchObject({
        state: "NO_ROOM",
        reason: expect.stringMatching(/gpu-1 has 0 of 4 NVIDIA L40S free, gpu-2 has 0 of 4 NVIDIA L40S free/),
      });
    });

    test("workers without GPUs that start at the same time are spread", async () => {
      const endpoint = await fleet.endpoint({ workersMax: 6 });
      for (let job = 0; job < 6; job++) await fleet.submitTo(endpoint);
      await fleet.look();
      expect([running("gpu-1").length, running("gpu-2").length]).toEqual([3, 3]);
    });

    test("a host that has the image comes before an emptier one", async () => {
      fleet.engineOf("gpu-2").images.add("team/image:1");
      await busy(2);
      expect([running("gpu-1").length, running("gpu-2").length]).toEqual([0, 2]);
    });

    test("a host that is away gets no worker, and one that is added serves within a second", async () => {
      fleet.engineOf("gpu-1").isAway = true;
      fleet.engineOf("gpu-2").isAway = true;
      await fleet.on.clock.advance(3 * SECOND);
      const endpoint = await fleet.endpoint({ workersMax: 1 });
      await fleet.submitTo(endpoint);
      await fleet.look();
      expect(report(endpoint)?.reason).toContain("gpu-1 is away, gpu-2 is away");
      await fleet.put("gpu-3");
      await fleet.on.clock.advance(SECOND);
      expect(running("gpu-3")).toHaveLength(1);
      expect(report(endpoint)?.lastExit).toBeUndefined();
    });

    test("records of earlier versions name the host by their provider", async () => {
      const { engine, endpoint } = fleet.on;
      const own = engine.configuration.get("endpoint", endpoint);
      if (own === undefined) throw new Error("there is an endpoint");
      const kinds = [
        { provider: "docker" },
        { provider: "process" },
        {},
        { provider: "docker", host: "gpu-1" },
      ];
      const hosts = [];
      for (const kind of kinds) {
        hosts.push(
          hostOf((await createWorkerToken(engine, own, { many: false, managed: true, ...kind })).record),
        );
      }
      expect(hosts).toEqual(["docker", "local", "local", "gpu-1"]);
      expect(
        hostOf((await createWorkerToken(engine, own, { many: true, managed: false })).record),
      ).toBeUndefined();
    });
  });

  describe("when a host is drained", () => {
    test("its workers are replaced on the other one, and then it gets workers again", async () => {
      const { endpoint } = await busy(4, { gpuCount: 1, workersMin: 4, workersMax: 4 });
      await fleet.put("gpu-1", { isDraining: true });
      for (let looks = 0; looks < 30; looks++) await fleet.look();
      // They finish their jobs first.
      expect(running("gpu-2").length).toBeGreaterThan(0);
      for (const id of running("gpu-1")) {
        for (const job of await fleet.on.engine.store.held(endpoint, id)) {
          await fleet.on.complete({ endpoint, id, sharesToken: false }, job.id);
        }
      }
      for (let looks = 0; looks < 30; looks++) await fleet.look();
      expect([running("gpu-1").length, running("gpu-2").length]).toEqual([0, 4]);
      const ledger = [...(await fleet.ledger()).keys()];
      expect(ledger.filter((device) => device.startsWith("GPU-gpu-1"))).toEqual([]);

      await fleet.put("gpu-1", { isDraining: false });
      await fleet.put("gpu-2", { isDraining: true });
      await busy(1, { gpuCount: 1 });
      expect(running("gpu-1").length).toBeGreaterThan(0);
    });

    test("without room elsewhere its workers end as well, and the jobs wait with the reason", async () => {
      await fleet.put("gpu-2", { isDraining: true });
      const { endpoint, jobs } = await busy(2, { gpuCount: 1 });
      await fleet.put("gpu-1", { isDraining: true });
      await fleet.submitTo(endpoint);
      for (let looks = 0; looks < 10; looks++) await fleet.look();
      for (const job of jobs) {
        const worker = (await jobOf(endpoint, job))?.worker ?? "";
        await fleet.on.complete({ endpoint, id: worker, sharesToken: false }, job);
        for (let looks = 0; looks < 10; looks++) await fleet.look();
      }
      expect(running("gpu-1")).toEqual([]);
      expect(report(endpoint)).toMatchObject({
        state: "NO_ROOM",
        reason: expect.stringContaining("gpu-1 is draining, gpu-2 is draining"),
      });
    });
  });

  describe("when a host does not answer", () => {
    const TIMEOUT = 60 * SECOND;

    /** One worker on gpu-1, which runs a job and is away. */
    async function away(): Promise<{ endpoint: string; job: string; worker: string }> {
      await fleet.put("gpu-2", { isDraining: true });
      const { endpoint, jobs } = await busy(1, { gpuCount: 1, workersMax: 1 });
      await fleet.put("gpu-2", { isDraining: false });
      // The worker lives, and nobody can reach its engine.
      fleet.engineOf("gpu-1").isAway = true;
      const [job = ""] = jobs;
      return { endpoint, job, worker: running("gpu-1")[0] ?? "" };
    }

    test("its jobs run elsewhere after the timeout, which is no loss; its devices stay taken", async () => {
      const { endpoint, job, worker } = await away();
      await fleet.on.clock.advance(TIMEOUT - 5 * SECOND);
      await fleet.look();
      expect((await jobOf(endpoint, job))?.worker).toBe(worker);
      await fleet.on.clock.advance(10 * SECOND);
      await fleet.look();
      await takeAll(endpoint);
      const [fresh = ""] = running("gpu-2");
      expect(await jobOf(endpoint, job)).toMatchObject({ worker: fresh, state: "IN_PROGRESS", losses: 0 });
      expect(fleet.on.engine.configuration.get("worker", worker)?.lostAt).toBeGreaterThan(0);
      expect([...(await fleet.ledger())].toSorted()).toEqual([
        ["GPU-gpu-1-0", worker],
        ["GPU-gpu-2-0", fresh],
      ]);
    });

    test("its workers are stopped when it answers again, and only then their devices are free", async () => {
      const { worker } = await away();
      await fleet.on.clock.advance(TIMEOUT + 5 * SECOND);
      expect(running("gpu-1")).toEqual([worker]);
      fleet.engineOf("gpu-1").comeBack();
      await fleet.on.clock.advance(5 * SECOND);
      expect(running("gpu-1")).toEqual([]);
      expect([...(await fleet.ledger()).keys()]).toEqual(["GPU-gpu-2-0"]);
      expect(fleet.on.engine.configuration.get("worker", worker)).toBeUndefined();
      expect(fleet.on.engine.fleet.awayHosts.size).toBe(0);
    });

    test("it is not lost if it answers within the timeout: its worker goes on", async () => {
      const { endpoint, job, worker } = await away();
      await fleet.on.clock.advance(TIMEOUT - 5 * SECOND);
      fleet.engineOf("gpu-1").comeBack();
      await fleet.on.clock.advance(TIMEOUT);
      await fleet.look();
      expect(running("gpu-1")).toEqual([worker]);
      expect(await fleet.on.complete({ endpoint, id: worker, sharesToken: false }, job)).toBe(true);
    });

    test("that is noticed at once, although another host takes long for each answer", async () => {
      fleet.engineOf("gpu-1").isSlow = true;
      await fleet.on.clock.advance(10 * SECOND);
      fleet.engineOf("gpu-2").isAway = true;
      await fleet.on.clock.advance(5 * SECOND);
      expect([...fleet.on.engine.fleet.awayHosts.keys()]).toEqual(["gpu-2"]);
      fleet.engineOf("gpu-1").comeBack();
      fleet.engineOf("gpu-1").isAway = true;
      await fleet.on.clock.advance(5 * SECOND);
      expect([...fleet.on.engine.fleet.awayHosts.keys()].toSorted()).toEqual(["gpu-1", "gpu-2"]);
    });

    test("it is not lost after a pause of the server before it was asked again", async () => {
      const { worker } = await away();
      await fleet.on.clock.advance(5 * SECOND);
      const { awayHosts } = fleet.on.engine.fleet;
      const now = fleet.on.clock.now();
      const before = { since: now - 10 * TIMEOUT, reason: "it cannot be reached" };
      awayHosts.set("gpu-1", { ...before, askedAt: now - 9 * TIMEOUT });
      await fleet.workers.loseAway();
      expect(fleet.on.engine.fleet.managed.has(worker)).toBe(true);
      awayHosts.set("gpu-1", { ...before, askedAt: now });
      await fleet.workers.loseAway();
      expect(fleet.on.engine.fleet.managed.has(worker)).toBe(false);
    });

    test("deleted as lost, its jobs run elsewhere at once, and its devices are free", async () => {
      const { endpoint, job, worker } = await away();
      await expect(deleteLostHost(fleet.on.engine, "gpu-1")).rejects.toThrow("so its workers may run");
      await fleet.workers.tidy();
      await deleteLostHost(fleet.on.engine, "gpu-1");
      await fleet.look();
      await takeAll(endpoint);
      const [fresh = ""] = running("gpu-2");
      expect(await jobOf(endpoint, job)).toMatchObject({ worker: fresh, losses: 0 });
      expect([...(await fleet.ledger())]).toEqual([["GPU-gpu-2-0", fresh]]);
      expect(fleet.on.engine.configuration.get("worker", worker)).toBeUndefined();
      expect(fleet.engineOf("gpu-1").isClosed).toBe(true);
      expect([...fleet.on.engine.fleet.managed.keys()]).toEqual([fresh]);
    });
  });
});
