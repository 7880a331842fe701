import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ERRORS } from "../../src/domain/errors.ts";
import { httpContext } from "../../src/http/context.ts";
import { routes } from "../../src/http/operations.ts";
import { OpenApiChecks } from "../support/openapi-checks.ts";
import { TestServer } from "../support/test-server.ts";

describe("the OpenAPI document", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const anonymous = (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> =>
    fetch(`${server.url}${path}`, { method, headers });

  test("it is answered without a key, as it was made, with a version that spares the next call", async () => {
    const answer = await anonymous("/openapi.json");
    const etag = answer.headers.get("etag") ?? "";
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await answer.json()).toEqual(new OpenApiChecks("spec").document);
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await anonymous("/openapi.json", { "if-none-match": `"other", ${etag}` });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    const head = await anonymous("/openapi.json", {}, "HEAD");
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
  });

  test("under /sdk it is that of the SDKs' dialect: streams, records and templates differ", async () => {
    const { json: sdk } = await server.get("/sdk/openapi.json");
    const { document } = new OpenApiChecks("spec");
    expect(sdk).toEqual(new OpenApiChecks("sdk").document);
    expect([document.servers[0].url, sdk.servers[0].url]).toEqual(["/", "/sdk"]);
    expect(Object.keys(sdk.paths)).toEqual(Object.keys(document.paths));
    const schemas = new Set([
      ...Object.keys(sdk.components.schemas),
      ...Object.keys(document.components.schemas),
    ]);
    const other = [...schemas].filter(
      (name) => !Bun.deepEquals(sdk.components.schemas[name], document.components.schemas[name]),
    );
    expect(other.toSorted()).toEqual(["Job", "Stream", "Template"]);
  });

  test("every route of the server is in it, and nothing else", () => {
    const settings = { adminKey: "", bodyBudget: 1, bodyTime: 1_000, restTime: 1_000 };
    const served = routes(httpContext(server.forebay.engine, settings, () => "")).map(
      ({ method, path }) => `${method} ${path}`,
    );
    const documented = new OpenApiChecks("spec").operations.map(({ method, path }) => `${method} ${path}`);
    // The document itself is also served beside the paths of the management API.
    expect([...documented, "GET /v1/openapi.json"].toSorted()).toEqual(served.toSorted());
  });

  test("every error of the one table is in it, with its status and sentence", () => {
    const { document } = new OpenApiChecks("spec");
    const examples = Object.fromEntries(
      Object.entries(ERRORS).map(([code, { status, meaning }]) => [
        code,
        { summary: meaning, value: { error: meaning, code, status } },
      ]),
    );
    expect(document.components.examples).toEqual(examples);
    const answers = JSON.stringify(document.paths);
    expect(Object.keys(ERRORS).filter((code) => !answers.includes(`\`${code}\``))).toEqual([]);
    expect(document.info.description).toContain("METHOD_NOT_ALLOWED");
  });

  test.each(["spec", "sdk"] as const)("%s: each example is as its schema says", (dialect) => {
    const checks = new OpenApiChecks(dialect);
    const faults: string[] = [];
    let looked = 0;
    const visit = (node: unknown, pointer: string): void => {
      if (typeof node !== "object" || node === null) return;
      if ("schema" in node && "example" in node) {
        looked++;
        const wrong = checks.bodyFaults(`${pointer}/schema`, node.example);
        faults.push(...wrong.map((fault) => `${decodeURIComponent(pointer)}: ${fault}`));
      }
      if ("schema" in node && "examples" in node) {
        for (const code of Object.keys(node.examples as object)) {
          looked++;
          faults.push(
            ...checks.bodyFaults(`${pointer}/schema`, checks.document.components.examples[code].value),
          );
        }
      }
      for (const [key, child] of Object.entries(node)) {
        visit(child, `${pointer}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`);
      }
    };
    visit(checks.document.paths, "#/paths");
    expect(faults).toEqual([]);
    expect(looked).toBeGreaterThan(500);
  });

  test("operations have names of their own, tags that it lists, and what every reader needs", () => {
    const { operations, document } = new OpenApiChecks("spec");
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    const tags = document.tags.map(({ name }: { name: string }) => name);
    expect([...new Set(operations.flatMap((operation) => operation.tags))].toSorted()).toEqual(
      tags.toSorted(),
    );
    const unsaid = Object.entries<{ description?: string }>(document.components.schemas)
      .filter(([name, { description }]) => description === undefined && name !== "Error")
      .map(([name]) => name);
    expect(unsaid).toEqual([]);
  });
});
