import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { compactJson, indentedJson } from "../../console/src/parts/json-text.ts";
import { commandOf, samplesOf } from "../../console/src/parts/samples.ts";
import { FOREBAY } from "../support/server-process.ts";
import { endOf, succeeded } from "../support/run-program.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";
import type { TestWorker } from "../support/test-worker.ts";
import { HOSTILE_PAYLOADS } from "./hostile-payloads.ts";

const URL = "http://127.0.0.1:8000";

/** What a literal, a shell or a terminal could take for something else than text. */
const QUOTES = [
  "'",
  '"',
  "\\",
  "`",
  "$(id)",
  "${HOME}",
  "!!",
  "\n",
  "\r",
  "\0",
  "\u2028",
  "'\\''",
  "{x}",
  "%s",
];
const UNSEEN = [
  "\u001b[2J",
  "\u009b2J",
  "\u202e",
  "\ufeff",
  "\ud800",
  "\u{e0041}",
  "😀",
  "é",
  "__proto__",
  "-x",
];
/** Samples have line feeds of their own. */
const OBEYED = /[^\P{Cc}\n]|[\u200b-\u200f\u2028-\u202e\ufeff\u{e0000}-\u{e0fff}]|\p{Cs}/u;

const text = fc
  .array(fc.oneof(fc.constantFrom(...QUOTES, ...UNSEEN), fc.constantFrom(...HOSTILE_PAYLOADS), fc.string()))
  .map((parts) => parts.join(""));
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom("12345678901234567890", "1e400", "1E5", "-0", "-0.0", "1e-400", "0.1000", "1.50"),
);
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      number,
      fc.constantFrom("true", "false", "null"),
    ),
    fc.array(tie("json"), { maxLength: 4 }).map((items) => `[ ${items.join(" ,\r\n")}]`),
    fc
      .array(fc.tuple(text, tie("json")), { maxLength: 4 })
      .map(
        (members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}\t: ${value}`).join(",")} }`,
      ),
  ),
}));
const INPUTS = [
  ...HOSTILE_PAYLOADS.map((payload) => JSON.stringify({ [payload]: payload })),
  '{"__proto__": {"a": 1}, "constructor": null}',
  `{"deep": ${"[".repeat(200)}${"]".repeat(200)}}`,
  ...fc.sample(
    json.map((value) => `{"value":${value}}`),
    200,
  ),
];

/** The tokens of JSON with strings and numbers as values: what a receiver reads. */
function meaningOf(json: string): unknown {
  return JSON.parse(json, (_, value, context?: { source?: string }) =>
    typeof value === "number" ? `number ${Number(context?.source ?? value)}` : value,
  );
}

describe("the code samples of a job, of hostile inputs", () => {
  let temporary: TemporaryDirectory;
  let directory: string;
  beforeAll(async () => {
    temporary = await temporaryDirectory();
    directory = temporary.path;
  });
  afterAll(() => temporary[Symbol.asyncDispose]());

  test("show no character that is not seen, or that a terminal obeys", () => {
    for (const input of INPUTS) {
      const samples = samplesOf(URL, "chat", `{"input":${input}}`);
      for (const sample of [...Object.values(samples), commandOf("chat", input) ?? ""]) {
        expect(sample).not.toMatch(OBEYED);
      }
    }
  });

  test("with curl and the command, a shell passes on exactly the input", async () => {
    const exact = INPUTS.filter((input) => commandOf("chat", input) !== undefined);
    const lines = [
      `curl() { for word; do :; done; printf '%s\\0' "$word"; }; forebay() { printf '%s\\0' "$3"; }`,
      ...INPUTS.map((input) => samplesOf(URL, "chat", `{"input":${input}}`).curl),
      ...exact.map((input) => commandOf("chat", input)),
    ];
    writeFileSync(join(directory, "all.sh"), lines.join("\n"));
    for (const shell of ["sh", "bash"]) {
      const { stdout } = await succeeded([shell, "all.sh"], { cwd: directory });
      const words = stdout.split("\0").slice(0, -1);
      const wanted = [...INPUTS.map((input) => `{"input":${input}}`), ...exact];
      expect(words.map(compactJsonUnescaped)).toEqual(wanted.map(compactJsonUnescaped));
    }
  });

  test("with Python and TypeScript, the program sends what means the same", async () => {
    const bodies = INPUTS.map((input) => samplesOf(URL, "chat", `{"input":${input}}`));
    const python = bodies.map(({ Python }) => Python.replace(/^print.*$/m, "print(request.data.decode())"));
    writeFileSync(join(directory, "all.py"), python.join("\n"));
    const script = bodies.map(({ TypeScript }) => `{\n${TypeScript}\n}`).join("\n");
    const given = "const fetch = (_: string, { body }: { body: string }) => ({ json: () => body });\n";
    mkdirSync(join(directory, "script"));
    writeFileSync(join(directory, "script/all.ts"), `${given}${script}\nexport {};`);
    const env = { FOREBAY_KEY: TEST_KEY };
    for (const words of [
      ["python3", "all.py"],
      [process.execPath, "script/all.ts"],
    ]) {
      const { stdout } = await succeeded(words, { cwd: directory, env });
      const sent = stdout.trimEnd().split("\n").map(meaningOf);
      expect(sent).toEqual(INPUTS.map((input) => meaningOf(`{"input":${input}}`)));
    }
  });

  test("an editor gets the input on several lines, with every token as it was sent", () => {
    fc.assert(
      fc.property(json, (given) => {
        const lines = indentedJson(given);
        expect(compactJson(lines)).toBe(compactJson(given));
        expect(meaningOf(lines)).toEqual(meaningOf(given));
      }),
    );
    expect(indentedJson('{"a":[1,{}],"b":{"c":"[{,:"}}')).toBe(
      '{\n  "a": [\n    1,\n    {}\n  ],\n  "b": {\n    "c": "[{,:"\n  }\n}',
    );
  });
});

/** Escapes that stand for the same characters are the same. */
function compactJsonUnescaped(json: string): string {
  return compactJson(json).replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, (string) =>
    JSON.stringify(JSON.parse(string)),
  );
}

describe("the code samples of a job, as they are copied", () => {
  let server: TestServer;
  let endpoint: string;
  let worker: TestWorker;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    worker = await server.worker(endpoint);
    directory = await temporaryDirectory();
  });
  afterAll(async () => {
    await server.stop();
    await directory[Symbol.asyncDispose]();
  });

  const INPUT = String.raw`{"p": "it's \"quoted\" \\ $HOME \u0000 \ud83d\ude00", "__proto__": [true]}`;

  test.each(["curl", "Python", "TypeScript", "CLI"] as const)(
    "with %s, they run as they are",
    async (language) => {
      const command = commandOf(endpoint, INPUT) ?? "";
      const sample = { ...samplesOf(server.url, endpoint, `{"input":${INPUT}}`), CLI: command }[language];
      // The command of an installed package.
      const forebay = `forebay() { node ${FOREBAY} "$@"; }\n`;
      const file = join(
        directory.path,
        { curl: "a.sh", CLI: "b.sh", Python: "c.py", TypeScript: "d.ts" }[language],
      );
      writeFileSync(file, language === "CLI" ? forebay + sample : `${sample}\n`);
      const program = { curl: "sh", CLI: "sh", Python: "python3", TypeScript: process.execPath }[language];
      const env = { ...server.env, FOREBAY_KEY: TEST_KEY };
      const running = endOf([program, file], { cwd: directory.path, env });
      let taken: { id: string; input: unknown } | undefined;
      await until("the job is taken", async () => {
        const { status, json } = await worker.take();
        if (status === 200) taken = json;
        return status === 200;
      });
      expect(taken?.input).toEqual(JSON.parse(INPUT));
      await worker.done(taken?.id ?? "", { output: { answer: "as asked" } });
      const { status, stdout } = await running;
      expect([status, stdout.includes("as asked")]).toEqual([0, true]);
    },
  );
});
