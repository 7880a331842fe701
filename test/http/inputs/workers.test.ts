import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { answerOf } from "../../support/answer.ts";
import { type Trial, TriedServer } from "../../support/input-trial.ts";

describe("inputs 27 and 28: what workers and templates ask for", () => {
  let tried: TriedServer;
  beforeAll(async () => {
    tried = await TriedServer.start();
  });
  afterAll(() => tried.stop());

  const calls = ({ server, endpoint, worker }: Trial, path: string) =>
    fetch(`${server.url}/v2/${endpoint}/${path}`, {
      headers: { authorization: worker.env["RUNPOD_AI_API_KEY"] ?? "" },
    }).then(answerOf);

  test.each(["-1", "0", "1e9", "1001", "NaN", "", "1&batch_size=2"])(
    "input 27: batch_size=%s is refused, and hands nothing out",
    (size) =>
      tried.trial(async (trial) => {
        await trial.server.run(trial.endpoint);
        const { worker } = trial;
        const { status } = await calls(
          trial,
          `job-take-batch/${worker.id}?batch_size=${size}&job_in_progress=0`,
        );
        expect(status).toBe(400);
        return { inQueue: 1 };
      }),
  );

  test("input 27: a thousand open calls of one worker for one job hand it out once", () =>
    tried.trial(async (trial) => {
      const { server, endpoint, worker } = trial;
      const path = `job-take/${worker.id}?job_in_progress=1`;
      const polls = Array.from({ length: 1_000 }, () => calls(trial, path));
      const id = await server.run(endpoint);
      const answers = await Promise.all(polls);
      const taken = answers.filter(({ status }) => status === 200);
      expect(answers.every(({ status }) => [200, 204].includes(status))).toBe(true);
      expect(taken.map(({ json }) => json.id)).toEqual([id]);
      return { inProgress: 1 };
    }));

  test("input 27: a ping with 64 KiB of ids, others' jobs and NUL among them, renews nothing of others", () =>
    tried.trial(async (trial) => {
      const { server, endpoint, worker } = trial;
      const other = await server.worker(endpoint);
      const id = await server.run(endpoint);
      await other.take();
      const { store } = server.forebay.engine;
      const before = await store.job(endpoint, id);
      expect((await worker.ping([id, "a,b", "", "\0", "__proto__"])).status).toBe(200);
      expect(await store.job(endpoint, id)).toEqual(before);
      const many = await calls(trial, `ping/${worker.id}?job_id=${"a,".repeat(32_768)}`);
      // The runtime takes no header above 16 kB.
      expect(many.status).toBe(431);
      expect(await server.status(endpoint, id)).toMatchObject({ status: "IN_PROGRESS", workerId: other.id });
      await other.done(id, { output: "kept" });
      expect(await server.status(endpoint, id)).toMatchObject({ output: "kept" });
      return { completed: 1 };
    }));

  const BAD_FIELDS: readonly [field: string, value: unknown][] = [
    ["imageName", "--privileged"],
    ["imageName", "a;rm -rf /"],
    ["imageName", "a\nb"],
    ["imageName", ""],
    ["env", { "A=B": "1" }],
    ["env", { "": "1" }],
    ["env", { A: "\0" }],
    ["env", { FOREBAY_WORKER_TOKEN: "mine" }],
    ["env", { RUNPOD_AI_API_KEY: "mine" }],
    ["env", { RUNPOD_WEBHOOK_GET_JOB: "http://elsewhere/" }],
    ["ports", ["80/udp"]],
    ["ports", ["0/http"]],
    ["ports", ["70000/tcp"]],
    ["volumeMountPath", "../x"],
    ["volumeMountPath", "/a:/b"],
    ["volumeMountPath", "/"],
    ["volumeMountPath", "//"],
    ["volumeMountPath", "/a//b"],
    ["volumeMountPath", "/proc"],
    ["volumeMountPath", "/sys/fs/cgroup"],
    ["volumeMountPath", "/dev/shm"],
    ["volumeMountPath", "/etc"],
    ["volumeMountPath", "/var/run/docker.sock"],
    ["volumeMountPath", "/run"],
    ["containerDiskInGb", -1],
    ["containerDiskInGb", 1.5],
    ["volumeInGb", -1],
  ];
  test.each(BAD_FIELDS)(
    "input 28: a template with %s %j is refused by name, and is not made",
    (field, value) =>
      tried.trial(async ({ server }) => {
        const name = `bad-${crypto.randomUUID()}`;
        const body = { name, imageName: "a/b:1", [field]: value };
        const { status, json } = await server.post("/v1/templates", body);
        expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
        expect(json.error).toContain(field);
        // The name is still free.
        expect((await server.post("/v1/templates", { name, imageName: "a/b:1" })).status).toBe(200);
        return {};
      }),
  );

  test("input 28: what is not the author's to set is never stored; a readme of 50 MB is refused", () =>
    tried.trial(async ({ server }) => {
      const name = `mine-${crypto.randomUUID()}`;
      const wish = { name, imageName: "a/b:1", isPlatform: true, earned: 1e9, runtimeInMin: 5, id: "mine" };
      const { json } = await server.post("/v1/templates", wish, await server.key("manage"));
      expect(json).toMatchObject({ isPlatform: false, earned: 0, runtimeInMin: 0 });
      expect(json.id).not.toBe("mine");
      const large = JSON.stringify({ name: `${name}-2`, imageName: "a/b:1", readme: "x".repeat(50 << 20) });
      expect((await server.post("/v1/templates", large)).status).toBe(413);
      const ports = '"80/http",'.repeat(60_000);
      const many = `{"name":"${name}-3","imageName":"a/b:1","ports":[${ports}"80/http"]}`;
      const { status } = await server.post("/v1/templates", many);
      expect(status).toBe(400);
      return {};
    }));

  test("input 28: of a hundred templates of one name, made at once, one is made", () =>
    tried.trial(async ({ server }) => {
      const body = { name: `one-${crypto.randomUUID()}`, imageName: "a/b:1" };
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => server.post("/v1/templates", body)),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([200, ...Array<number>(99).fill(400)]);
      return {};
    }));
});
