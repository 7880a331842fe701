import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_ROWS } from "../../src/config-rows.ts";

const DEPLOY = join(import.meta.dir, "../../deploy");
const KNOWN = new Set(Object.values(CONFIG_ROWS).map(({ env }) => env));

test.each(["compose.yaml", "Dockerfile", "forebay@.service", "nginx.conf", "haproxy.cfg"])(
  "deploy/%s names no variable and no path that there is not",
  (name) => {
    const text = readFileSync(join(DEPLOY, name), "utf8");
    const variables = [...text.matchAll(/\bFOREBAY_[A-Z_]+/g)].map(([variable]) => variable);
    expect(variables.filter((variable) => !KNOWN.has(variable))).toEqual([]);
    const copied = [...text.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, paths = ""]) => paths.split(" "));
    expect(copied.filter((path) => !existsSync(join(DEPLOY, "..", path)))).toEqual([]);
  },
);

test("the compose file is YAML, and names the files beside it", () => {
  const text = readFileSync(join(DEPLOY, "compose.yaml"), "utf8");
  // oxlint-disable-next-line typescript/no-explicit-any -- a file of any shape
  const { services } = Bun.YAML.parse(text) as any;
  expect(Object.keys(services)).toEqual(["postgres", "forebay-1", "forebay-2", "balancer"]);
  expect(existsSync(join(DEPLOY, "..", services["forebay-1"].build.dockerfile))).toBe(true);
  expect(existsSync(join(DEPLOY, services.balancer.volumes[0].split(":")[0]))).toBe(true);
});
