import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isReservedName } from "../../src/domain/endpoint-name.ts";
import { covers, type Scope, SCOPES } from "../../src/domain/scope.ts";
import { httpContext } from "../../src/http/context.ts";
import { OPERATIONS as DEFINED, routes } from "../../src/http/operations.ts";
import type { Answer } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { takesHead } from "../support/takes-head.ts";
import { TestServer } from "../support/test-server.ts";
import { TestWorker } from "../support/test-worker.ts";
import { type Operation, OPERATIONS } from "./tenancy-operations.ts";

/** A status with `ttl` is one operation more: what it asks for beyond a status comes behind the look-up. */
const WITH_TTL: Operation = {
  name: "GET /v2/{endpoint}/status/{job}",
  method: "GET",
  path: "/v2/{endpoint}/status/{job}?ttl=604800000",
  opened: "read",
  answer: "200",
};

function mayWithin(operation: Operation, scope: Scope): boolean {
  return operation !== WITH_TTL || scope !== "read";
}

/** What an account owns: an ended job, and one that runs. */
interface Tenant {
  readonly name: string;
  readonly account: string;
  readonly endpoint: string;
  readonly job: string;
  readonly delivery: string;
  readonly operation: string;
  readonly template: string;
  readonly registryLogin: string;
  readonly keys: ReadonlyMap<Scope, { authorization: string }>;
  readonly worker: TestWorker | undefined;
}

const ABSENT: Tenant = {
  name: "nobody",
  account: "absent",
  endpoint: "absent",
  job: "absent",
  delivery: "absent",
  operation: "absent",
  template: "absent",
  registryLogin: "absent",
  keys: new Map(),
  worker: undefined,
};

describe("S18: three accounts, every scope, every operation, every object", () => {
  // Leases stand still, so that what runs goes on running.
  const clock = new ManualClock();
  let server: TestServer;
  let tenants: Tenant[];
  let script: string;
  beforeAll(async () => {
    server = await TestServer.start({ clock });
    script = /assets\/(main-\w+)/.exec((await server.get("/console")).text)?.[1] ?? "";
    tenants = [
      await tenant("first", "default"),
      await tenant("second", await server.account()),
      await tenant("third", await server.account()),
    ];
  });
  afterAll(() => server.stop());

  async function tenant(name: string, account: string): Promise<Tenant> {
    const keys = new Map<Scope, { authorization: string }>();
    for (const scope of SCOPES) keys.set(scope, await server.key(scope, { account }));
    const own = keys.get("admin");
    // Each of three scopes purges the queue within one window.
    const fields = { name, rateLimits: { "purge-queue": { requests: 1_000 } } };
    const credentials = { name, username: "user", password: "pass" };
    const registryLogin = (await server.post("/v1/containerregistryauth", credentials, own)).json.id;
    const wish = { name, imageName: "team/worker:1", containerRegistryAuthId: registryLogin };
    const template = (await server.post("/v1/templates", wish, own)).json.id;
    const made = await server.post("/v1/endpoints", { ...fields, templateId: template }, own);
    const endpoint = made.json.id;
    const run = async (): Promise<string> =>
      (await server.post(`/v2/${endpoint}/run`, { input: {}, webhook: "https://a.example/" }, own)).json.id;
    const job = await run();
    await server.post(`/v2/${endpoint}/cancel/${job}`, undefined, own);
    const [delivery] = (await server.get(`/v1/endpoints/${endpoint}/webhooks`, own)).json.webhooks;
    await run();
    const many = await server.post("/v1/jobs/cancel", { filter: { id: "absent" } }, own);
    const admission = (await server.post(`/v1/endpoints/${endpoint}/workers`, {}, own)).json;
    const worker = new TestWorker(admission.env, admission.workerId);
    await worker.take();
    const ids = { endpoint, job, delivery: delivery.id, operation: many.json.id, template, registryLogin };
    return { name, account, ...ids, keys, worker };
  }

  /** The path with what `owner` has in it; what the call may end is made for it. */
  async function pathOf({ path, method }: Operation, owner: Tenant): Promise<string> {
    const { endpoint, job, delivery, template, registryLogin, account, keys } = owner;
    const isEnding = method === "DELETE" && path.endsWith("{endpoint}") && owner !== ABSENT;
    const fresh = isEnding ? await freshEndpoint(keys.get("admin")) : endpoint;
    const filled = path
      .replace("{endpoint}", fresh)
      .replace("{job}", job)
      .replace("{delivery}", delivery)
      .replace("{operation}", owner.operation)
      .replace("{template}", template)
      .replace("{registryLogin}", registryLogin)
      .replace("{host}", owner === ABSENT ? "absent" : "local")
      .replace("{route}", "v1/embeddings")
      .replace("{asset}", script)
      .replace("{version}", "1")
      .replace("{cpu}", "cpu")
      .replace("{gpu}", "absent")
      .replace(/^(\/v2\/(?!serverless).*)\{worker\}/, "$1w1");
    if (owner === ABSENT) return filled.replace(/\{(key|worker)\}/, "absent");
    if (filled.includes("{worker}")) {
      const own = keys.get("manage");
      const { json } = await server.post(`/v1/endpoints/${endpoint}/workers`, {}, own);
      return filled.replace("{worker}", json.workerId);
    }
    if (!filled.includes("{key}")) return filled;
    const wish = { name: crypto.randomUUID(), scopes: ["read"], account };
    return filled.replace("{key}", (await server.post("/v1/keys", wish)).json.id);
  }

  async function freshEndpoint(own: Record<string, string> | undefined): Promise<string> {
    return (await server.post("/v1/endpoints", { name: crypto.randomUUID() }, own)).json.id;
  }

  async function call(operation: Operation, path: string, headers: Record<string, string>): Promise<Answer> {
    const hasBody = operation.method !== "GET";
    const body = path.includes("/openai/") ? { stream: 1 } : {};
    return server.call(operation.method, path, hasBody ? body : undefined, headers);
  }

  function expectedOf(operation: Operation, caller: Tenant, scope: Scope, owner: Tenant): string {
    const { path, opened, answer: allowed } = operation;
    if (opened === "anyone" || opened === "worker") return allowed;
    if (!SCOPES.some((each) => each === opened && covers([scope], each))) return "KEY_NOT_ALLOWED";
    const isOperatorsKey = path.includes("{key}") && scope === "admin" && owner !== ABSENT;
    if (owner === caller || isOperatorsKey) return mayWithin(operation, scope) ? allowed : "KEY_NOT_ALLOWED";
    // Hosts belong to the deployment.
    if (path.includes("{host}")) return owner === ABSENT ? "HOST_NOT_FOUND" : allowed;
    const [, kind] = /\{(endpoint|template|registryLogin|key|job|operation)\}/.exec(path) ?? [];
    if (kind === "registryLogin") return "REGISTRY_LOGIN_NOT_FOUND";
    if (kind === "operation") return "JOB_OPERATION_NOT_FOUND";
    return kind === undefined ? allowed : `${kind.toUpperCase()}_NOT_FOUND`;
  }

  const outcomeOf = ({ status, json }: Answer): string => json?.code ?? String(status);

  test("every route has a row here, with the access of its definition", () => {
    const settings = { adminKey: "", bodyBudget: 1, bodyTime: 1_000, restTime: 1_000 };
    const served = routes(httpContext(server.forebay.engine, settings, () => "")).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(OPERATIONS.map(({ name }) => name).toSorted()).toEqual(served.toSorted());
    const listed = DEFINED.map(({ method, path, access }) => [`${method} ${path}`, access] as const);
    // The document has a second address.
    const document = ["GET /v1/openapi.json", "anyone"] as const;
    expect(Object.fromEntries([...listed, document])).toEqual(
      Object.fromEntries(OPERATIONS.map(({ name, opened }) => [name, opened])),
    );
  });

  describe.each(SCOPES)("with %s", (scope) => {
    test.each([...OPERATIONS, WITH_TTL].map((operation) => [operation.path, operation] as const))(
      "%s",
      async (_path, operation) => {
        const wrong: unknown[] = [];
        for (const caller of tenants) {
          for (const owner of [...tenants, ABSENT]) {
            const path = await pathOf(operation, owner);
            const answer = await call(operation, path, caller.keys.get(scope) ?? {});
            const expected = expectedOf(operation, caller, scope, owner);
            const found = outcomeOf(answer);
            const isUniform = !expected.endsWith("_NOT_FOUND") || isBare(answer, path);
            if (found === expected && isUniform) continue;
            wrong.push({ caller: caller.name, owner: owner.name, expected, found, text: answer.text });
          }
        }
        expect(wrong).toEqual([]);
      },
      30_000,
    );
  });

  /** Nothing but the id of the path tells one 404 from another. */
  function isBare({ status, json }: Answer, path: string): boolean {
    const [kind = ""] = String(json.code).toLowerCase().split("_not_found");
    const id =
      path.split("/")[isReservedName(path.split("/")[2] ?? "") || !path.startsWith("/v2") ? 3 : 2] ?? "";
    const sentence = `There is no ${kind.replace("_", " ")} ${id}.`;
    return status === 404 && (json.error.message ?? json.error) === sentence;
  }

  test("jobs of another account are not found on one's own endpoint", async () => {
    const [first, second] = tenants;
    if (first === undefined || second === undefined) throw new Error("there are three tenants");
    for (const operation of OPERATIONS.filter(
      ({ path, opened }) => path.includes("{job}") && opened !== "worker",
    )) {
      const path = operation.path.replace("{endpoint}", first.endpoint).replace("{job}", second.job);
      const answer = await call(operation, path, first.keys.get("admin") ?? {});
      expect([operation.name, outcomeOf(answer)]).toEqual([operation.name, "JOB_NOT_FOUND"]);
    }
  });

  test("templates take registry logins of their own account, and others are not found", async () => {
    for (const caller of tenants) {
      for (const owner of [...tenants, ABSENT]) {
        const wish = { containerRegistryAuthId: owner.registryLogin };
        const keys = caller.keys.get("manage");
        const fields = { name: crypto.randomUUID(), imageName: "team/worker:1", ...wish };
        for (const answer of [
          await server.post("/v1/templates", fields, keys),
          await server.call("PATCH", `/v1/templates/${caller.template}`, wish, keys),
        ]) {
          expect(outcomeOf(answer)).toBe(owner === caller ? "200" : "INVALID_FIELD");
          if (owner === caller) continue;
          const sentence = `the account has no registry login "${owner.registryLogin}"`;
          expect(answer.json.error).toBe(`containerRegistryAuthId: ${sentence}.`);
        }
      }
    }
  });

  test("webhooks of another account are not found on one's own endpoint", async () => {
    const [first, second] = tenants;
    if (first === undefined || second === undefined) throw new Error("there are three tenants");
    const path = `/v1/endpoints/${first.endpoint}/webhooks/${second.delivery}/redeliver`;
    expect(outcomeOf(await server.post(path, {}, first.keys.get("admin")))).toBe("DELIVERY_NOT_FOUND");
  });

  test("a worker's token opens nothing but the paths of its own endpoint's workers", async () => {
    for (const caller of tenants) {
      const authorization = caller.worker?.env["FOREBAY_WORKER_TOKEN"] ?? "";
      for (const owner of [...tenants, ABSENT]) {
        for (const operation of OPERATIONS.filter(({ opened }) => opened !== "anyone")) {
          // Its own would be held, or report a job.
          if (operation.opened === "worker" && owner === caller) continue;
          const answer = await call(operation, await pathOf(operation, owner), { authorization });
          expect([operation.name, outcomeOf(answer)]).toEqual([operation.name, "KEY_NOT_ALLOWED"]);
        }
      }
    }
  }, 30_000);

  test("without a key, or with one that is not known, only what needs no key answers", async () => {
    const [owner = ABSENT] = tenants;
    for (const operation of OPERATIONS) {
      const path = await pathOf(operation, owner);
      const expected = (code: string): string => (operation.opened === "anyone" ? operation.answer : code);
      const wrong = { authorization: "Bearer nobody's" };
      expect(outcomeOf(await call(operation, path, wrong))).toBe(expected("KEY_UNKNOWN"));
      expect(outcomeOf(await call(operation, path, { authorization: "" }))).toBe(expected("KEY_MISSING"));
    }
  });

  test("HEAD asks for the key and the scope that GET asks for", async () => {
    const [owner = ABSENT] = tenants;
    for (const operation of OPERATIONS.filter(({ method, path }) => method === "GET" && takesHead(path))) {
      const path = await pathOf(operation, owner);
      for (const headers of [{ authorization: "" }, ...owner.keys.values()]) {
        const [get, head] = [
          await call(operation, path, headers),
          await server.call("HEAD", path, undefined, headers),
        ];
        expect([operation.name, head.status, head.text]).toEqual([operation.name, get.status, ""]);
      }
    }
  });

  test("keys of another account are listed and made by an admin alone", async () => {
    const [first, second] = tenants;
    if (first === undefined || second === undefined) throw new Error("there are three tenants");
    const path = `/v1/keys?account=${first.account}`;
    const manager = second.keys.get("manage") ?? {};
    const wish = { name: "spy", scopes: ["read"], account: first.account };
    expect(outcomeOf(await server.get(path, manager))).toBe("KEY_NOT_ALLOWED");
    expect(outcomeOf(await server.post("/v1/keys", wish, manager))).toBe("KEY_NOT_ALLOWED");
    // Whether it is there makes no difference.
    expect(outcomeOf(await server.get("/v1/keys?account=absent", manager))).toBe("KEY_NOT_ALLOWED");
    const admin = second.keys.get("admin") ?? {};
    const listed = await server.get(path, admin);
    const accounts = listed.json.keys.map(({ account }: { account: string }) => account);
    expect(new Set(accounts)).toEqual(new Set([first.account]));
    expect((await server.post("/v1/keys", wish, admin)).json.account).toBe(first.account);
    // The account's name works as well as its id.
    const { json } = await server.get("/v1/accounts", admin);
    const { name } = json.accounts.find(({ id }: { id: string }) => id === first.account);
    const byName = await server.post("/v1/keys", { ...wish, name: "by name", account: name }, admin);
    expect(byName.json.account).toBe(first.account);
    expect((await server.get(`/v1/keys?account=${name}`, admin)).json.keys).toHaveLength(
      listed.json.keys.length + 2,
    );
    expect(outcomeOf(await server.get(`/v1/keys?account=${name}`, manager))).toBe("KEY_NOT_ALLOWED");
    expect(outcomeOf(await server.get("/v1/keys?account=absent", admin))).toBe("ACCOUNT_NOT_FOUND");
  });
});
