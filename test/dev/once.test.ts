import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { DevProject } from "../support/dev-process.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

const ECHO = `
  export default ({ input, s3Config }) => {
    console.log("a line of the handler");
    if (input.fail) throw new RangeError("out of range");
    return { input, s3Config };
  };`;

let project: DevProject;
beforeEach(() => {
  project = new DevProject({ "handler.ts": ECHO });
});
afterEach(() => project.end());

describe("--input runs one job", () => {
  test.each([
    ["inline", '{"n": 1}', ""],
    ["from a file", "input.json", ""],
    ["from the standard input", "-", '{"n": 1}'],
  ])("given %s: the output and nothing else on stdout, and exit code 0", async (_, input, typed) => {
    project.write("input.json", '{"n": 1}');
    const dev = project.dev(["handler.ts", "--input", input]);
    dev.type(typed);
    dev.closeInput();
    const { code, stdout, stderr } = await dev.exit;
    expect([code, stdout]).toEqual([0, '{"input":{"n":1}}\n']);
    expect(stderr).toContain("a line of the handler\n");
    expect(stderr).toMatch(/ COMPLETED sync-/);
  });

  test("a failed one: exit code 1, the error with its stack on stderr", async () => {
    const { code, stdout, stderr } = await project.dev(["handler.ts", "--input", '{"fail": true}']).exit;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/ FAILED sync-.*\n {2}RangeError: out of range\n +at .*handler\.ts:4/);
  });

  test("a stream: the output is the list of its yields, whole also when it is large", async () => {
    project.write(
      "handler.ts",
      'export function* handler() { for (const c of "abcde") yield c.repeat(9e5); }',
    );
    const { code, stdout } = await project.dev(["handler.ts", "--input", "{}"]).exit;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).map((text: string) => text.length)).toEqual(
      Array.from({ length: 5 }, () => 9e5),
    );
  });

  test("a handler that ends its process is tried three times, then the job has failed", async () => {
    project.write("handler.ts", "export default () => process.exit(7);");
    const { code, stdout, stderr } = await project.dev(["handler.ts", "--input", "{}"]).exit;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/ FAILED sync-/);
  });
});

describe("--replay runs a job of another server", () => {
  let server: TestServer;
  let endpoint: string;
  let job: string;
  beforeAll(async () => {
    server = await TestServer.start();
    endpoint = await server.endpoint();
    job = await server.run(endpoint, { from: "there" }, { s3Config: { accessSecret: "a-secret" } });
  });
  afterAll(() => server.stop());

  test("with its input, and none of its secrets", async () => {
    const { env } = server;
    const { code, stdout } = await project.dev(["handler.ts", "--replay", `${endpoint}/${job}`], { env })
      .exit;
    expect([code, stdout]).toEqual([0, '{"input":{"from":"there"}}\n']);
    expect((await server.status(endpoint, job)).status).toBe("IN_QUEUE");
  });

  test("named by flags", async () => {
    const at = ["--endpoint", endpoint, "--server", `${server.url}/`, "--key", TEST_KEY];
    const { code, stdout } = await project.dev(["handler.ts", "--replay", job, ...at]).exit;
    expect([code, stdout]).toEqual([0, '{"input":{"from":"there"}}\n']);
  });

  test("or says in one sentence why not", async () => {
    const faults: [job: string, key: string, sentence: string][] = [
      [
        `${endpoint}/nothing`,
        TEST_KEY,
        "There is no job nothing on this endpoint, or its result has expired. " +
          "forebay requests <endpoint> lists its jobs.",
      ],
      [
        `${endpoint}/${job}`,
        "wrong",
        "The key in the Authorization header is unknown. Check it. " +
          "Use another key: --key <key>, or FOREBAY_KEY.",
      ],
      [`${endpoint}/${job}`, "", "enter your API key: --key <key>, or set FOREBAY_KEY."],
      [job, TEST_KEY, "name the job to replay: --replay <endpoint>/<job>."],
    ];
    for (const [replay, key, sentence] of faults) {
      const env = { FOREBAY_URL: server.url, FOREBAY_KEY: key };
      const { code, stdout, stderr } = await project.dev(["handler.ts", "--replay", replay], { env }).exit;
      expect([code, stdout, stderr]).toEqual([2, "", `forebay dev: ${sentence}\n`]);
    }
    const away = ["--replay", "a/b", "--key", "k", "--server", "http://127.0.0.1:1"];
    const { code, stderr } = await project.dev(["handler.ts", ...away]).exit;
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^forebay dev: no server answers at .* Start it with forebay serve, or give .*\n$/,
    );
  });
});
