import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { BuiltImage } from "../support/built-image.ts";
import { ForebayContainer } from "../support/forebay-container.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** What docs and compose.yaml promise of the image, MB as Docker counts them. */
const LARGEST_IMAGE = 180;

const WITH_KEY = ["--env", `FOREBAY_ADMIN_KEY=${TEST_KEY}`];

/** The image as `docker run` starts it. */
export function oneContainer(given: () => BuiltImage): void {
  const hello = (server: ForebayContainer, headers = {}) =>
    server.post("/v2/hello/runsync?wait=60000", { input: { name: "Ada" } }, headers);

  async function stopped(server: ForebayContainer): Promise<void> {
    expect((await server.docker("stop")).status).toBe(0);
    // `docker stop` kills after 10 s, and then the code is 137.
    expect(await server.inspected("{{.State.ExitCode}}")).toBe("0");
  }

  describe("the image", () => {
    test("is under 180 MB, runs as a user of its own, and says what it is", async () => {
      const { stdout } = await given().docker("image", "inspect", "forebay");
      const [{ Size, Config }] = JSON.parse(stdout);
      expect(Size / 1e6).toBeLessThan(LARGEST_IMAGE);
      expect(Config).toMatchObject({ User: "10001:10001", StopSignal: "SIGTERM", Volumes: { "/data": {} } });
      expect(Config.ExposedPorts).toEqual({ "8000/tcp": {} });
      const { version } = await Bun.file("package.json").json();
      expect(Config.Labels).toMatchObject({
        "org.opencontainers.image.title": "Forebay",
        "org.opencontainers.image.version": version,
      });
    });

    test("prints a key, answers a job, serves the console, and keeps its data over a restart", async () => {
      await using server = await ForebayContainer.run(given(), "--volume", `${crypto.randomUUID()}:/data`);
      await server.healthy();
      const [, key = ""] = /admin key \(shown only now\): (\S+)/.exec(await server.printed()) ?? [];
      const headers = { authorization: `Bearer ${key}` };
      const { json } = await hello(server, headers);
      expect(json).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });

      const frame = await (await fetch(`${server.url}/console`)).text();
      const [, script = ""] = /src="([^"]+)"/.exec(frame) ?? [];
      const answer = await fetch(`${server.url}${script}`);
      expect([answer.status, (await answer.text()).length > 1_000]).toEqual([200, true]);
      expect((await server.get("/docs")).status).toBe(200);

      await stopped(server);
      await server.docker("start");
      await server.healthy();
      expect((await server.get(`/v2/hello/status/${json.id}`, headers)).json).toMatchObject({
        output: { greeting: "Hello, Ada!" },
      });
      expect((await hello(server, headers)).json.status).toBe("COMPLETED");
    });

    test("forebay doctor in the container finds no fault, and the container's limit of memory", async () => {
      await using server = await ForebayContainer.run(given(), ...WITH_KEY, "--memory", "600m");
      await server.healthy();
      const { status, stdout } = await server.docker("exec", "forebay", "doctor");
      expect([status, stdout]).toEqual([0, expect.not.stringContaining("fault")]);
      expect(stdout).toContain("Forebay 0.");
      expect(stdout).toContain("warn   limits         600 MB of memory");
    });

    test.each([
      ["a user of any id", ["--user", "1234"]],
      [
        "a user and a group of any id, with a directory for both",
        ["--user", "4321:4321", "--tmpfs", "/data:uid=4321"],
      ],
      ["root", ["--user", "0"]],
      [
        "a root file system that cannot be written, without capabilities",
        ["--read-only", "--cap-drop", "ALL"],
      ],
      ["an init process", ["--init"]],
    ])("runs with %s", async (_, flags) => {
      await using server = await ForebayContainer.run(given(), ...WITH_KEY, ...flags);
      await server.healthy();
      expect((await hello(server)).json).toMatchObject({ output: { greeting: "Hello, Ada!" } });
      const { status, stdout } = await server.docker("exec", "forebay", "doctor");
      expect([status, stdout]).toEqual([0, expect.not.stringContaining("fault")]);
      await stopped(server);
    });

    test("a directory that its user cannot write is one line and exit code 2", async () => {
      const directory = join(given().host.directory, "of-root");
      mkdirSync(directory, { mode: 0o755 });
      await using server = await ForebayContainer.run(given(), "--volume", `${directory}:/data`);
      await until("it ends", async () => (await server.inspected("{{.State.Running}}")) === "false");
      expect(await server.inspected("{{.State.ExitCode}}")).toBe("2");
      expect(await server.printed()).toMatch(/^forebay serve: [^\n]*\/data\/forebay[^\n]*\n$/);
    });

    test("a worker with children leaves no zombie behind with --init", async () => {
      const script = "sleep 0.01 & exit 0";
      await using server = await ForebayContainer.run(given(), ...WITH_KEY, "--init");
      await server.healthy();
      expect((await server.docker("exec", "sh", "-c", `(${script})`)).status).toBe(0);
      await until("no zombie is there", async () => {
        const { stdout } = await server.docker("exec", "sh", "-c", "cat /proc/[0-9]*/stat");
        return !/\) Z /.test(stdout);
      });
    });
  });
}
