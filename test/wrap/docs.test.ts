import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { splitWords } from "../../src/cli/worker/split-words.ts";
import { workerOptions } from "../../src/cli/worker/worker-options.ts";

describe("docs/bring-a-model-server.md", () => {
  const text = readFileSync(join(import.meta.dir, "../../docs/bring-a-model-server.md"), "utf8");
  const commands = text
    .replaceAll("\\\n", "")
    .split("\n")
    .filter((line) => line.startsWith("forebay worker "))
    .map((line) => splitWords(line).slice(2));

  test("has command lines that the command takes", () => {
    expect(commands.length).toBeGreaterThan(6);
    for (const args of commands) expect(workerOptions(args).endpoint).toBeString();
  });

  test("has a registered command that the command takes", () => {
    const [, json = ""] = /```json\n([^`]*)```/.exec(text) ?? [];
    const { llama }: Record<string, string[]> = JSON.parse(json);
    expect(workerOptions(llama?.slice(2) ?? []).work.kind).toBe("http");
  });
});
