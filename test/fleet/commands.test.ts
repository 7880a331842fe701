import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCommands } from "../../src/fleet/process/commands.ts";

describe("the commands that the operator registers", () => {
  let file: string;
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "forebay-commands-"));
    file = join(directory, "commands.json");
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  test("are programs with their arguments, by name", async () => {
    writeFileSync(file, '{"infer": ["python3", "-u", "/srv/infer.py"], "v1.2_x-y": ["/bin/true"]}');
    expect([...(await loadCommands(file))]).toEqual([
      ["infer", ["python3", "-u", "/srv/infer.py"]],
      ["v1.2_x-y", ["/bin/true"]],
    ]);
  });

  test.each([
    ["", "expected a JSON object"],
    ["[]", "expected a JSON object"],
    ["null", "expected a JSON object"],
    ['{"a": "sleep 1"}', 'command "a": expected an array of strings, the program first, got "sleep 1"'],
    ['{"a": []}', 'command "a": expected an array of strings, the program first, got []'],
    ['{"a": [""]}', 'command "a": expected an array of strings'],
    ['{"a": ["sleep", 1]}', 'command "a": expected an array of strings'],
    ['{"a": ["sleep\\u0000"]}', 'command "a": expected an array of strings'],
    ['{"a b": ["sleep"]}', 'command "a b": a name has up to 128 letters'],
    ['{"": ["sleep"]}', 'command "": a name has up to 128 letters'],
    ['{"../sh": ["sleep"]}', 'command "../sh": a name has up to 128 letters'],
    [
      '{"a": ["./infer"]}',
      'command "a": each start has its own directory, so the relative path ./infer does not work',
    ],
  ])("refused: %s", async (text, sentence) => {
    writeFileSync(file, text);
    await expect(loadCommands(file)).rejects.toThrow(`${file}: ${sentence}`);
  });

  test("refused: a file that is not there", async () => {
    await expect(loadCommands(file)).rejects.toThrow(file);
  });
});
