import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { memoryLimit } from "../../src/doctor/memory-limit.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const V2 = "0::/system.slice/forebay.service\n";
const V1 = "9:name=systemd:/docker/abc\n4:cpu,memory:/docker/abc\n0::/\n";

test.each<[what: string, groups: string, limits: Record<string, string>, bytes: number]>([
  [
    "a service",
    V2,
    { "system.slice/forebay.service/memory.max": "600", "system.slice/memory.max": "max" },
    600,
  ],
  [
    "its slice",
    V2,
    { "system.slice/forebay.service/memory.max": "max", "system.slice/memory.max": "700" },
    700,
  ],
  ["a container", "0::/\n", { "memory.max": "800" }, 800],
  ["a container of cgroup v1", V1, { "memory/memory.limit_in_bytes": "900" }, 900],
  ["a group of cgroup v1", V1, { "memory/docker/abc/memory.limit_in_bytes": "1000" }, 1_000],
  ["no limit", V2, { "system.slice/memory.max": "max" }, Infinity],
  ["no groups", "", {}, Infinity],
])("the limit of memory of %s", async (_, groups, limits, bytes) => {
  await using root = await temporaryDirectory();
  const files = Object.entries(limits).map(([path, text]) => [join("sys/fs/cgroup", path), `${text}\n`]);
  for (const [path = "", text = ""] of [["proc/self/cgroup", groups], ...files]) {
    mkdirSync(dirname(join(root.path, path)), { recursive: true });
    writeFileSync(join(root.path, path), text);
  }
  expect(await memoryLimit(root.path)).toBe(bytes);
});
