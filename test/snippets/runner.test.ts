import { describe, expect, test } from "bun:test";
import { parsePage } from "./page.ts";
import { runPage } from "./run-page.ts";
import { IS_ISOLATED } from "./world.ts";

const NO_GATEWAY = "/nowhere";

/** Runs a page of these lines. */
async function run(...lines: string[]): Promise<unknown> {
  const page = parsePage("page.md", lines.join("\n"));
  expect(page.faults).toEqual([]);
  return runPage(page, NO_GATEWAY);
}

const check = IS_ISOLATED ? test.concurrent : test;

describe("the runner of snippets", () => {
  check("runs blocks in order, in one session, and compares what they print", async () => {
    const count = await run(
      "```sh",
      "NAME=Ada; echo '{\"a\": 1}' > made.json",
      "```",
      "<!-- snippet: file=greet.mjs -->",
      "```js",
      "console.log(`Hello, ${process.argv[2]}!`);",
      "console.log('one'); console.log('two');",
      "```",
      "```sh",
      "node greet.mjs $NAME",
      "```",
      "```output",
      "Hello, A…!",
      "…",
      "two",
      "```",
      "```python",
      "import json; assert json.load(open('made.json')) == {'a': 1}",
      "```",
    );
    expect(count).toEqual({ run: 3, checked: 2, excerpts: 0, leftOut: 0 });
  });

  check("fails on a block that neither runs nor is marked", async () => {
    await expect(run("```", "some text", "```")).rejects.toThrow("page.md:1: a block without a language");
    await expect(run("```ini", "[Unit]", "```")).rejects.toThrow("page.md:1: a block in ini cannot run");
    expect(parsePage("page.md", "<!-- snippet: exerpt -->\n```\n```").faults).toEqual([
      "page.md:1: unknown mark: exerpt",
    ]);
    expect(parsePage("page.md", "```sh\ntrue").faults).toEqual(["page.md:1: the block does not end"]);
  });

  check("fails on a command that fails, and on a placeholder", async () => {
    await expect(run("```sh", "true", "```", "```sh", "false | cat", "```")).rejects.toThrow("page.md:4");
    await expect(run("```sh", "echo <id>", "```")).rejects.toThrow("fill in <id>");
    await expect(run("```ts", "throw new Error('broken');", "```")).rejects.toThrow("broken");
    await expect(run("```json", "{a}", "```")).rejects.toThrow("page.md:1");
  });

  check("fails on other output than the page shows", async () => {
    const lines = ["```sh", "echo Hello", "```", "```output", "Good bye", "```"];
    await expect(run(...lines)).rejects.toThrow(
      "page.md:4: the output is not what the page shows. It is:\nHello",
    );
  });

  check("fails on a file that no command uses, and on lines that a file does not have", async () => {
    await expect(run("<!-- snippet: file=a.json -->", "```json", "{}", "```")).rejects.toThrow(
      "nothing on the page uses a.json",
    );
    const part = (line: string): string[] => [
      "<!-- snippet: part of package.json -->",
      "```json",
      line,
      "```",
    ];
    await expect(run(...part('"forebay"'))).rejects.toThrow("package.json does not have these lines");
  });

  check("fails on an answer of a server that is an error, unless that is expected", async () => {
    const server = "<!-- snippets: server -->";
    const call = ["```sh", "curl -s http://127.0.0.1:8000/v2/hello/health", "```"];
    await expect(run(server, ...call)).rejects.toThrow("KEY_MISSING");
    await run(server, "<!-- snippet: exits with 22 -->", ...call);
  });

  check("lets a block run in the background, and ends it", async () => {
    const count = await run(
      '<!-- snippet: background until "ready on" -->',
      "```sh",
      "forebay serve",
      "```",
      "<!-- snippet: from the background -->",
      "```output",
      "  try it:",
      "```",
      "```sh",
      'curl -s http://127.0.0.1:8000/v2/hello/health -H "Authorization: Bearer $FOREBAY_KEY"',
      "```",
    );
    expect(count).toEqual({ run: 2, checked: 1, excerpts: 0, leftOut: 0 });
  });
});
