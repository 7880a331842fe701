import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_ROWS } from "../../src/config/rows.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const KNOWN = new Set(Object.values(CONFIG_ROWS).map(({ env }) => env));

const FILES =
  "compose.yaml compose-postgres.yaml compose.env.example Dockerfile forebay.service forebay@.service " +
  "nginx.conf haproxy.cfg tls/nginx.conf tls/haproxy.cfg tls/Caddyfile";

test.each(FILES.split(" "))("deploy/%s names only settings that exist", (name) => {
  const text = readFileSync(join(DEPLOY, name), "utf8");
  const variables = [...text.matchAll(/\bFOREBAY_[A-Z_]+/g)].map(([variable]) => variable);
  expect(variables.filter((variable) => !KNOWN.has(variable))).toEqual([]);
});

test.each([
  ["compose.yaml", ["forebay"]],
  ["compose-postgres.yaml", ["postgres", "forebay-1", "forebay-2", "balancer"]],
])("deploy/%s is YAML and names files that exist", (name, known) => {
  const text = readFileSync(join(DEPLOY, name), "utf8");
  // oxlint-disable-next-line typescript/no-explicit-any -- a file of any shape
  const { services } = Bun.YAML.parse(text) as any;
  expect(Object.keys(services)).toEqual(known);
  const forebay = known.find((service) => service.startsWith("forebay")) ?? "";
  expect(existsSync(join(DEPLOY, "..", services[forebay].build.dockerfile))).toBe(true);
  const [configuration = "./Dockerfile"] = services.balancer?.volumes ?? [];
  expect(existsSync(join(DEPLOY, configuration.split(":")[0]))).toBe(true);
});

test("deploy/compose.env.example has every secret that deploy/compose-postgres.yaml requires", () => {
  const required = readFileSync(join(DEPLOY, "compose-postgres.yaml"), "utf8").matchAll(/\$\{([A-Z_]+):\?/g);
  const example = readFileSync(join(DEPLOY, "compose.env.example"), "utf8");
  const names = new Set([...required].map(([, name = ""]) => name));
  expect([...names].filter((name) => !new RegExp(`^${name}=$`, "m").test(example))).toEqual([]);
  expect(names.size).toBe(3);
});

test("the image has the version of the package", () => {
  const { version } = JSON.parse(readFileSync(join(DEPLOY, "../package.json"), "utf8"));
  expect(readFileSync(join(DEPLOY, "Dockerfile"), "utf8")).toContain(`ARG VERSION=${version}\n`);
});
