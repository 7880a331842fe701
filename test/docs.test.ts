import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { thirdPartyNotices } from "../build/third-party-notices.ts";
import { CONFIG_ROWS } from "../src/config/rows.ts";
import { ERRORS } from "../src/domain/errors.ts";
import { TRANSITIONS } from "../src/domain/transitions.ts";
import { GPU_TYPES } from "../src/fleet/gpu/gpu-types.ts";
import { METRICS } from "../src/http/metrics/metric-table.ts";
import { specCoverage } from "./http/spec/coverage.ts";
import { brokenLinks } from "./support/links.ts";
import { threats } from "./threats/threats.ts";
import { troubleshooting } from "./troubleshooting/rows.ts";
import { wireCoverage } from "./wire/coverage.ts";

const ROOT = join(import.meta.dir, "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

describe("the documents agree with the code", () => {
  test("docs/errors.md lists every error with its status and meaning, and no other", () => {
    const listed = rowsOf("docs/errors.md", /^\| `([A-Z_]+)` \| (\d+) \| (.*) \|$/gm);
    const known = Object.entries(ERRORS).map(([code, { status, meaning }]) => [
      code,
      String(status),
      meaning,
    ]);
    expect(listed).toEqual(known);
  });

  test("docs/configuration.md lists every setting with its flag, default and meaning, and no other", () => {
    const listed = rowsOf("docs/configuration.md", /^\| `([A-Z_]+)` \| `--([a-z-]+)` \| (.*?) \| (.*) \|$/gm);
    const known = Object.values(CONFIG_ROWS).map((row) => [
      row.env,
      row.flag,
      row.default === "" ? "" : `\`${row.default}\``,
      row.sentence.replaceAll("|", "\\|"),
    ]);
    expect(listed).toEqual(known);
  });

  test("docs/gpus.md lists every type of GPU with its other names, and no other", () => {
    const known = Object.entries(GPU_TYPES).map(([model, others]) => [
      model,
      others.map((name) => `\`${name}\``).join(", "),
    ]);
    expect(rowsOf("docs/gpus.md", /^\| `([^`]+)` \| ((?:`[^`|]+`(?:, )?)*) ?\|$/gm)).toEqual(known);
  });

  test("docs/metrics.md lists every metric as /metrics describes it, and no other", () => {
    const row = /^\| `(\w+)` \| (\w+) \| (.*?) \| (\w+) \| (.*) \|$/gm;
    const known = Object.entries(METRICS).map(([name, { type, labels, of, help }]) => [
      name,
      type,
      labels.map((label) => `\`${label}\``).join(", "),
      of,
      help,
    ]);
    expect(rowsOf("docs/metrics.md", row)).toEqual(known);
  });

  test("every metric that the dashboard and the alerts name is there", () => {
    const known: ReadonlySet<string> = new Set(Object.keys(METRICS));
    for (const path of ["deploy/grafana/forebay.json", "deploy/prometheus/alerts.yml"]) {
      const named = [...read(path).matchAll(/\b(?:forebay|process)_\w+/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(10);
      const parts = named.map((name) => name.replace(/_(bucket|sum|count)$/, ""));
      expect([path, parts.filter((name) => !known.has(name))]).toEqual([path, []]);
    }
    const { panels } = JSON.parse(read("deploy/grafana/forebay.json"));
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  });

  test("docs/states.md draws exactly the transitions that there are", () => {
    const drawn = rowsOf("docs/states.md", /^ {4}(\S+) --> (\S+): (.*)$/gm).flatMap(
      ([from, to, events = ""]) => events.split(", ").map((event) => `${from} ${event} ${to}`),
    );
    const known = Object.entries(TRANSITIONS).flatMap(([event, { from, to }]) =>
      (from.length === 0 ? ["[*]"] : from).map((state) => `${state} ${event} ${to ?? "[*]"}`),
    );
    expect(drawn.toSorted()).toEqual(known.toSorted());
  });

  test("docs/api.md and docs/worker-protocol.md name every route, and no other", () => {
    const named = ["docs/api.md", "docs/worker-protocol.md"].flatMap((path) =>
      rowsOf(
        path,
        /`(?:[A-Z]+ )?(\/(?:(?:v1|v2|healthz|readyz|openapi|metrics|console)[^`?]*)?)(?:\?[^`]*)?`/g,
      ).map(([route = ""]) => route),
    );
    const served = filesOf("src/http").flatMap((path) =>
      [...read(path).matchAll(/path: "([^"]+)"/g)].map(([, route = ""]) => route),
    );
    const full = new Set(
      named.filter((route) => route.split("/").length > 2 || /^\/$|z$|json$|metrics$|console$/.test(route)),
    );
    expect(served.filter((route) => !full.has(route))).toEqual([]);
    expect([...full].filter((route) => !served.includes(route))).toEqual([]);
  });

  test("every row of the specification has a test or is said to follow, and no test names another", () => {
    expect(specCoverage().faults).toEqual([]);
  });

  test("docs/spec-coverage.md is what `npm run docs` makes of the tests", () => {
    expect(read("docs/spec-coverage.md")).toBe(specCoverage().document);
  });

  test("docs/threats.md is what `npm run docs` makes, and every test that it names is there", () => {
    expect(threats().faults).toEqual([]);
    expect(read("docs/threats.md")).toBe(threats().document);
  });

  test("docs/wire-coverage.md is what `npm run docs` makes, and every test that it names is there", () => {
    expect(wireCoverage().faults).toEqual([]);
    expect(read("docs/wire-coverage.md")).toBe(wireCoverage().document);
  });

  test("docs/troubleshooting.md is what `npm run docs` makes, and every test that it names is there", () => {
    expect(troubleshooting().faults).toEqual([]);
    expect(read("docs/troubleshooting.md")).toBe(troubleshooting().document);
  });

  test("every path that a document names is there", () => {
    const missing = documents().flatMap((path) =>
      [...read(path).matchAll(/`((?:src|test|docs|bin|sdk|bench|examples|deploy)\/[\w./-]+)`/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test("every link leads to a file and a heading that are there", () => {
    const pages = [...documents(), "CHANGELOG.md", ...pagesBelow("examples")];
    expect(brokenLinks(ROOT, pages)).toEqual([]);
  });

  test("docs/index.md links every page", () => {
    const pages = readdirSync(join(ROOT, "docs")).filter(
      (name) => name.endsWith(".md") && name !== "index.md",
    );
    expect(pages.filter((name) => !read("docs/index.md").includes(`](${name})`))).toEqual([]);
  });

  test("a link to a missing file or heading, or out of the repository, is found", () => {
    const page = "test/support/links.md";
    expect(brokenLinks(ROOT, [page])).toEqual([
      `${page}: nowhere.md: there is no such file`,
      `${page}: #no-heading: the page has no such heading`,
      `${page}: ../../README.md#no-heading: the page has no such heading`,
      `${page}: ../../../elsewhere: it leads out of the repository`,
      `${page}: links.ts#L1: only pages have anchors`,
      `${page}: http://example.com/: use https`,
      `${page}: https://: it is no address`,
    ]);
  });

  test("the npm commands of the README and of CONTRIBUTING are scripts of the package", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const path of ["README.md", "CONTRIBUTING.md"]) {
      const commands = [...read(path).matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g)].map(
        ([, run, name = ""]) => run ?? name,
      );
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) expect(Object.keys(scripts)).toContain(command);
    }
  });

  test("THIRD_PARTY_NOTICES is what `npm run docs` makes of the packages that we ship", () => {
    expect(read("THIRD_PARTY_NOTICES")).toBe(thirdPartyNotices());
  });

  test("the files of Swagger UI are the ones of its package", () => {
    for (const name of ["swagger-ui-bundle.js", "swagger-ui.css", "LICENSE", "NOTICE"]) {
      const [ours, theirs] = ["src/http/docs/vendor", "node_modules/swagger-ui-dist"].map((directory) =>
        read(join(directory, name)),
      );
      expect(ours === theirs).toBe(true);
    }
  });

  test("every dependency is justified", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json"));
    const justified = read("docs/dependencies.md");
    const missing = Object.keys({ ...dependencies, ...devDependencies }).filter(
      (name) => !justified.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});

function rowsOf(path: string, pattern: RegExp): string[][] {
  return [...read(path).matchAll(pattern)].map((match) => match.slice(1));
}

function filesOf(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(directory, name));
}

function documents(): string[] {
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", ...pagesBelow("docs")];
}

function pagesBelow(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(directory, name));
}
