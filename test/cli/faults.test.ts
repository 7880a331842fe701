import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";

const LIMIT = 30_000;

describe("a mistake of the user is reported in one line, with exit code 2", () => {
  let server: TestServer;
  let other: Bun.Server<undefined>;
  let endpoint: string;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    other = Bun.serve({ port: 0, fetch: () => new Response("<h1>Welcome</h1>") });
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
  });

  /** `E` in the arguments stands for the endpoint, `OTHER` for the address of somebody else. */
  const faults: [args: string, sentence: string | RegExp, env?: Record<string, string>][] = [
    ["run", "the id or name of the endpoint is missing. See --help."],
    ["status E", "the id of the job is missing. See --help."],
    ["cancel E a b", 'unexpected argument "b". See --help.'],
    ["retry E a/b", '"a/b" is not the id of a job.'],
    ["health ..", "there is no endpoint ..."],
    ["run E @nowhere.json", "there is no file nowhere.json."],
    ["run E @/", /^\/ is a directory\. Name a file in it/],
    ["run E [1]", /^the input is not a JSON object. Use /],
    ["run E {n:1}", /^the input is not JSON \(.*\). Use /],
    ["run E n:=", /^n is not JSON \(/],
    ["run E a b=c", /^the input is one JSON object, @file, - or pairs/],
    ["run E -", /^the standard input is not JSON/],
    ["run E --ttl soon", /^--ttl must be a duration such as 500ms, .*, got "soon"\.$/],
    ["run E --ttl 1s", /^policy.ttl is invalid; must be an integer between 10000 and 604800000/],
    ["run E --ttl 1", /^policy.ttl is invalid; must be an integer between 10000 and 604800000/],
    ["runsync E --wait", "Unknown option '--wait'. See --help."],
    [
      "requests E --status DONE",
      '--status must be one of IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED, CANCELLED, TIMED_OUT, got "DONE".',
    ],
    ["requests E --limit 0", /^limit is invalid; must be an integer between 1 and 1000/],
    ["health E", "enter your API key: --key <key>, or set FOREBAY_KEY.", { FOREBAY_KEY: "" }],
    [
      "health E --key wrong",
      /^The key in the Authorization header is unknown. Check it. Use another key: --key/,
    ],
    ["purge none", "There is no endpoint none. forebay endpoints list shows all endpoints."],
    ["stream E none", /^There is no job none on this endpoint, or its result has expired. forebay requests /],
    ["status E none --wait", /^There is no job none on this endpoint/],
    ["health E --server localhost", /^url must be an http or https address, got localhost. Use another/],
    ["health E --server OTHER", /^http:\S+ is not a Forebay server: it answered 200. Use another address/],
    [
      "runsync E --server http://127.0.0.1:9",
      /^no server answers at http:\S+:9 \(.*\). Start it with forebay/,
    ],
    [
      "status E a --server http://127.0.0.1:9",
      /^no server answers at http:\S+:9 \(.*\). Start it with forebay/,
    ],
  ];

  test.each(faults)(
    "forebay %s",
    async (args, sentence, env = {}) => {
      const words = args.replace(/\bE\b/, endpoint).replace("OTHER", other.url.origin).split(" ");
      const settings = { ...server.env, ...env };
      const { status, stdout, stderr } = await new ForebayCommand(words, { env: settings }).ended();
      expect([status, stdout]).toEqual([2, ""]);
      const [line = "", ...more] = stderr.split("\n");
      expect(more).toEqual([""]);
      const beginning = `forebay ${words[0]}: `;
      expect(line).toStartWith(beginning);
      const told = line.slice(beginning.length);
      if (typeof sentence === "string") expect(told).toBe(sentence);
      else expect(told).toMatch(sentence);
    },
    LIMIT,
  );
});
