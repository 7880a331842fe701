import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TestServer } from "../support/test-server.ts";
import { wrappedWorker } from "../support/wrapped-worker.ts";

describe("what is wrong is said in one sentence, with exit code 2", () => {
  let server: TestServer;
  let other: Bun.Server<undefined>;
  let directory: string;
  beforeAll(async () => {
    server = await TestServer.start();
    other = Bun.serve({ port: 0, fetch: () => new Response("{}") });
    directory = mkdtempSync(join(tmpdir(), "forebay-wrap-"));
    mkdirSync(join(directory, "jobs"));
    writeFileSync(join(directory, "no-program.txt"), "");
    writeFileSync(join(directory, "bad.json"), "{prompt}");
  });
  afterAll(async () => {
    rmSync(directory, { recursive: true });
    await other.stop(true);
    await server.stop();
  });

  const TRUE = ["--exec", "true"];
  const HTTP = ["--http", "http://127.0.0.1:1/"];
  const faults: [what: string, args: string[], sentence: string | RegExp][] = [
    ["neither way", [], /^choose one way to run jobs: --http <url>, --exec/],
    ["both ways", [...HTTP, ...TRUE], /^choose one way to run jobs/],
    ["an unknown flag", [...TRUE, "--loud"], /'--loud'/],
    ["a word too many", [...TRUE, "loud"], /"loud"/],
    ["no endpoint", TRUE, "there is no endpoint. Create one: --endpoint <name> --create."],
    [
      "a word that is no program",
      ["--endpoint", "a", "--sdk", ...TRUE],
      "--sdk goes with -- <program>. Leave it out.",
    ],
    [
      "an unknown endpoint",
      [...TRUE, "--endpoint", "none"],
      "there is no endpoint with the id or name none. To create it, add --create.",
    ],
    [
      "a wrong key",
      [...TRUE, "--endpoint", "none", "--key", "wrong"],
      "The key in the Authorization header is unknown. Check it. " +
        "Use another key: --key <key>, or FOREBAY_KEY.",
    ],
    [
      "no key",
      [...TRUE, "--endpoint", "a", "--key", ""],
      "enter your API key: --key <key>, or set FOREBAY_KEY.",
    ],
    [
      "no server",
      [...TRUE, "--endpoint", "a", "--server", "http://127.0.0.1:1"],
      /^no server answers at http:/,
    ],
    [
      "no program",
      ["--endpoint", "a", "--exec", "./none --fast"],
      /^the program \/\S+\/none does not exist\. Check/,
    ],
    [
      "no program on PATH",
      ["--endpoint", "a", "--exec", "none-such"],
      /^the program none-such is not on PATH/,
    ],
    ["a file that is no program", ["--endpoint", "a", "--exec", "./no-program.txt"], /cannot be executed/],
    ["an open quote", ["--endpoint", "a", "--exec", "a 'b"], "--exec has a quote that is not closed: a 'b"],
    [
      "what a shell would do",
      ["--endpoint", "a", "--exec", "a | b"],
      /^--exec does not use a shell, so \| has/,
    ],
    [
      "a refused port",
      ["--endpoint", "a", ...HTTP],
      /^127\.0\.0\.1:1 refused the connection \(.*\)\. Start it first, or wait for it with --start-wait/,
    ],
    [
      "a port that stays refused",
      ["--endpoint", "hello", "--create", ...HTTP, "--start-wait", "50ms"],
      /and --start-wait has passed/,
    ],
    ["no address", ["--endpoint", "a", "--http", "localhost:1"], /^--http takes an address like/],
    [
      "no time",
      ["--endpoint", "a", ...HTTP, "--start-wait", "60"],
      /^--start-wait must be a duration such as/,
    ],
    ["no number", ["--endpoint", "a", ...TRUE, "--concurrency", "0"], /^--concurrency takes a whole number/],
    ["no header", ["--endpoint", "a", ...HTTP, "--header", "a"], "--header takes 'Name: value', got a."],
    ["no method", ["--endpoint", "a", ...HTTP, "--method", "GET"], /^--method is POST, PUT or PATCH/],
    [
      "a template that is not JSON",
      ["--endpoint", "a", ...HTTP, "--template", "@bad.json"],
      /^--template is not JSON/,
    ],
    [
      "no template",
      ["--endpoint", "a", ...HTTP, "--template", "@none.json"],
      "none.json does not exist. Check the path.",
    ],
    [
      "an unknown placeholder",
      ["--endpoint", "a", ...HTTP, "--template", '["{{prompt}}"]'],
      "--template: {{prompt}} is none of {{id}}, {{input}} and {{input.<member>}}.",
    ],
    [
      "a flag of the other way",
      ["--endpoint", "a", ...TRUE, "--health", "/"],
      "--health goes with --http. Leave it out.",
    ],
  ];
  test.each(faults)("%s", async (_what, args, sentence) => {
    const worker = wrappedWorker(server, args, directory);
    expect(await worker.closed()).toBe(2);
    const last = worker.lines.findLast((line) => line !== "") ?? "";
    expect(last).toStartWith("forebay worker: ");
    const said = last.slice("forebay worker: ".length);
    if (typeof sentence === "string") expect(said).toBe(sentence);
    else expect(said).toMatch(sentence);
    expect(worker.lines.some((line) => line.startsWith("    at "))).toBe(false);
  });

  test("a server that is no Forebay server", async () => {
    const worker = wrappedWorker(server, [...TRUE, "--endpoint", "a", "--server", other.url.origin]);
    expect(await worker.exit()).toBe(2);
    await worker.line(
      `forebay worker: ${other.url.origin} is not a Forebay server: it answered something else.`,
    );
  });

  test("a file of this directory that a job would not see is named, and the worker starts", async () => {
    const endpoint = await server.endpoint();
    const args = ["--endpoint", endpoint, "--exec", "cat no-program.txt"];
    const worker = wrappedWorker(server, args, directory);
    await worker.line("if no-program.txt is the file here, write ./no-program.txt");
    await worker.line("takes jobs");
    worker.signal("SIGTERM");
    expect(await worker.exit()).toBe(0);
  });

  test("--help prints the usage within 80 columns", async () => {
    const worker = wrappedWorker(server, ["--help"]);
    expect(await worker.closed()).toBe(0);
    await worker.line("usage: forebay worker [--");
    expect(worker.lines.filter((line) => line.length > 80)).toEqual([]);
    expect(worker.lines.length).toBeGreaterThan(30);
  });
});
