import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { RAISED_LIMITS } from "../support/raised-limits.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { LOOPBACK_ALLOWED } from "../support/webhook-receiver.ts";
import { randomBody } from "./random-body.ts";

const RUNS = Number(process.env["RUNS"] ?? 150);
const SEED = process.env["SEED"] === undefined ? {} : { seed: Number(process.env["SEED"]) };

/** What no schema says: which records there are, and how members go together. */
const BEYOND =
  /_NOT_FOUND$|^NAME_TAKEN$|^NOT_IN_DIRECTORY$|^CHANGED_MEANWHILE$|^LIMIT_REACHED$|^TOO_MANY_OPERATIONS$/;
const BEYOND_SENTENCES = [
  // Two members, or two elements, together.
  "gpus: must not repeat a uuid.",
  "name: is required without a templateId.",
  "image: is required without a templateId.",
  "scaling: must have queueDelay with QUEUE_DELAY",
  "cpu: must have the same vcpuCount",
  "cpu: cannot be combined with gpu.",
  "workersMin must not be greater than workersMax.",
  "endpoints: a key with the scope admin",
  "The body must have either filter or jobs.",
  "filter has no condition.",
  // The rules of the query of GET /v1/jobs.
  /^filter\.\w+ is invalid; /,
  /^jobs\.\d+\.endpoint: there is no endpoint /,
  // What the operator has set and registered.
  "maxQueuedBytes must be at most 10737418240. The operator",
  "imageName: process/",
  // What the account has.
  "containerRegistryAuthId: the account has no registry login ",
  // Which keys there are.
  "The key in the Authorization header is unknown. Check it.",
];

function begins(text: string | undefined, sentence: string | RegExp): boolean {
  return typeof sentence === "string" ? text?.startsWith(sentence) === true : sentence.test(text ?? "");
}

/** Names of headers that are not to be set, or differ in case alone, and the sign for a hidden value. */
const BEYOND_HEADERS = /^webhookHeaders: .*(cannot be set|is there more than once|stands for a hidden value)/;

/** Which engines there are, and which certificates they take. */
const BEYOND_HOSTS = [
  /^address: (.* is not the address of an engine|No engine can be used)/s,
  /^certificates.*: (is not a|only an)/,
];

/** The management API v2 has 422 for members that are wrong. */
const REFUSED = [400, 422];

/** What is no such JSON ends its job FAILED, and is answered 200: docs/worker-protocol.md. */
const TAKES_ANY = new Set(["reportResult", "reportChunk"]);

const checks = new OpenApiChecks("spec");
const withBody = checks.operations.filter(
  // A call of OpenAI's has its status when its job has ended: test/http/openai-errors.test.ts.
  ({ requestBody, method, operationId }) =>
    requestBody !== undefined && method !== "PATCH" && operationId !== "openai",
);

describe("the schemas of bodies, and the server that checks them", () => {
  let server: TestServer;
  let ids: Record<string, string>;
  let token: string;
  // One for each operation: those of an account are limited together, also when there are more of them.
  beforeEach(async () => {
    server = await TestServer.start({
      flags: { ...LOOPBACK_ALLOWED, "runsync-retention-ms": "1000", "ping-interval-ms": "100" },
    });
    const endpoint = await server.endpoint({ rateLimits: RAISED_LIMITS });
    const worker = await server.worker(endpoint);
    token = `Bearer ${worker.env["RUNPOD_AI_API_KEY"]}`;
    const template = await server.post("/v1/templates", { name: "first", imageName: "worker" });
    const key = await server.post("/v1/keys", { name: "first", scopes: ["read"] });
    ids = { endpoint, worker: worker.id, template: template.json.id, key: key.json.id, job: "none" };
  });
  afterEach(() => server.stop());

  test.each(withBody.map((operation) => [operation.operationId, operation] as const))(
    "%s: what its schema accepts is accepted, and what it refuses is refused with 400 or 422",
    async (id, operation) => {
      const schema = operation.requestBody?.content["application/json"]?.schema ?? {};
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
      // Nobody waits for these jobs: their ids come ahead of their records.
      const isHeld = id === "runsync";
      const headers = operation.tags.includes("worker") ? { authorization: token } : {};
      const counted = { accepted: 0, refused: 0 };
      await fc.assert(
        fc.asyncProperty(randomBody(schema, checks.document.components.schemas), async (body) => {
          const text = JSON.stringify(body);
          const faults = checks.bodyFaults(checks.bodyPointer(operation), JSON.parse(text));
          const answer = isHeld
            ? await begun(path, text)
            : await server.call(operation.method, path, text, {
                "content-type": "application/json",
                ...headers,
              });
          const { status, json } = answer;
          const isBeyond =
            BEYOND.test(json?.code) ||
            BEYOND_HEADERS.test(json?.error) ||
            BEYOND_HOSTS.some((sentence) => sentence.test(json?.error)) ||
            BEYOND_SENTENCES.some((sentence) => begins(json?.error, sentence));
          if (faults.length === 0) counted.accepted++;
          else counted.refused++;
          const isAccepted = [200, 201, 202].includes(status) || isBeyond || TAKES_ANY.has(id);
          const told = { text: text.slice(0, 500), faults, status, json: json?.error };
          expect({ ...told, accepted: isAccepted }).toEqual({
            ...told,
            accepted: faults.length === 0 || TAKES_ANY.has(id),
          });
          if (!isAccepted) expect(REFUSED).toContain(status);
        }),
        { numRuns: RUNS, ...SEED },
      );
      expect(counted.accepted).toBeGreaterThan(0);
      expect(counted.refused).toBeGreaterThan(0);
    },
  );

  /** Status and error of a call whose record nobody waits for. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  async function begun(path: string, body: string): Promise<{ status: number; json: any }> {
    const end = new AbortController();
    const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
    const { signal } = end;
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body, signal });
    const json = response.status === 200 ? undefined : await response.json();
    end.abort();
    return { status: response.status, json };
  }
});
