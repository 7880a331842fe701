import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DockerHost } from "../support/docker-host.ts";
import { startDockerServer } from "../support/docker-server.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

/** A handler that says which one it is. */
const worker = (greeting: string): string => `
import { start } from "@forebay/worker";
await start({ handler: () => ${JSON.stringify(greeting)} });
`;

const DOCKERFILE = "FROM localhost/base:1\nCOPY worker.ts /app/worker.ts\n";

/** `forebay deploy` of a directory, with images that are built on this kind of engine. */
export function deployOn(engine: "docker" | "podman"): void {
  describe(`forebay deploy of a directory on ${engine}`, () => {
    let host: DockerHost;
    let server: ServerProcess;
    let place: string;
    beforeAll(async () => {
      host = await DockerHost.start(engine);
      await importTypeScriptImage(host, "localhost/base:1");
      server = await startDockerServer(host);
      place = join(server.directory, "chat");
      mkdirSync(place);
      writeFileSync(join(place, "Dockerfile"), DOCKERFILE);
    });
    afterAll(async () => {
      await server.stop();
      await host.stop();
    });

    const deploy = (...args: string[]) =>
      new ForebayCommand(["deploy", place, "--name", "chat", ...args], {
        env: { ...server.env, FOREBAY_DOCKER_HOST: host.url },
      }).ended();
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
    const json = async (...args: string[]): Promise<any> => {
      const { status, stdout, stderr } = await deploy(...args, "--json");
      expect([stderr, status]).toEqual(["", 0]);
      return JSON.parse(stdout);
    };
    const answered = async (endpoint: string) =>
      (await server.ended(endpoint, await server.run(endpoint))).output;

    test("builds, runs, and begins a release where the files differ", async () => {
      writeFileSync(join(place, "worker.ts"), worker("one"));
      const first = await deploy("--env", "TOKEN=not-for-the-terminal");
      expect(first.status).toBe(0);
      expect(first.stdout).toStartWith("chat is ready, version 1. Try it:\n");
      expect(first.stderr).toContain("Created the endpoint chat.\nStarting a worker of version 1.\n");
      expect(first.stdout + first.stderr).not.toContain("not-for-the-terminal");
      const { id, image, ...same } = await json();
      expect(same).toMatchObject({ version: 1, changes: [] });
      expect(image).toMatch(/^localhost\/chat:[0-9a-f]{16}$/);
      expect(await answered(id)).toBe("one");

      writeFileSync(join(place, "worker.ts"), worker("two"));
      const next = await json();
      expect(next).toMatchObject({ id, version: 2, changes: ["Updated the template chat: image."] });
      expect(next.image).not.toBe(image);
      expect(await answered(id)).toBe("two");

      writeFileSync(join(place, "worker.ts"), "console.log('no model here'); process.exit(4);\n");
      const broken = await deploy();
      expect(broken.status).toBe(1);
      expect(broken.stderr).toContain("Last output of the worker:\n  no model here\n");
      expect(broken.stderr).toEndWith("workers of version 3 do not start: exit code 4\n");
      expect(await answered(id)).toBe("two");
    });

    test("a build that fails is exit code 2, and changes nothing", async () => {
      writeFileSync(join(place, "Dockerfile"), "FROM localhost/base:1\nCOPY absent /app\n");
      try {
        const { status, stdout, stderr } = await deploy("--json");
        expect([status, stdout]).toEqual([2, ""]);
        expect(stderr).toMatch(
          new RegExp(`^forebay deploy: ${engine} build failed \\(exit code \\d+\\)\\. `),
        );
        expect(stderr).toContain("absent");
      } finally {
        writeFileSync(join(place, "Dockerfile"), DOCKERFILE);
      }
    });

    test("an engine that does not answer is one sentence", async () => {
      const { status, stderr } = await deploy("--docker-host", "unix:///nowhere.sock", "--json");
      expect(status).toBe(2);
      expect(stderr).toStartWith("forebay deploy: the engine at unix:///nowhere.sock does not answer: ");
    });
  });
}
