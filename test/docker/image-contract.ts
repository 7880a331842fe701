import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Provider, RegistryLogin, StartedWorker, WorkerExit } from "../../src/fleet/provider.ts";
import { DockerHost } from "../support/docker-host.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { rejection } from "../support/rejection.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";
import { shellLayer } from "../support/worker-images.ts";
import { openProvider } from "./contract-on.ts";
import { type ImageRegistry, startImageRegistry } from "./image-registry.ts";

/** How images come onto an engine, from a registry with a login and without. */
export function imageContract(engine: "docker" | "podman"): void {
  describe(`${engine}: images of a registry`, () => {
    let host: DockerHost;
    let registry: ImageRegistry;
    let log: MemoryLog;
    let provider: Provider;
    let exits: WorkerExit[];
    beforeAll(async () => {
      host = await DockerHost.start(engine);
    });
    afterAll(() => host.stop());
    beforeEach(async () => {
      registry = startImageRegistry(await shellLayer(), { login: "user:p/+?ss" });
      log = new MemoryLog();
      exits = [];
      provider = openProvider({ socketPath: host.socket, deployment: "d", log });
      provider.onExit((exit) => exits.push(exit));
    });
    afterEach(async () => {
      await until("all have ended", async () => (await provider.list()).length === 0);
      await provider.close();
      await registry.stop();
    });

    const login = (): RegistryLogin => ({ server: registry.server, username: "user", password: "p/+?ss" });
    const start = (imageName: string, given?: RegistryLogin) => startOn(provider, imageName, given);
    function startOn(on: Provider, imageName: string, given?: RegistryLogin): Promise<StartedWorker> {
      return on.start({
        worker: `w${crypto.randomUUID()}`,
        endpoint: "e",
        template: templateOf(imageName, { volumeInGb: 0 }),
        environment: {},
        login: given,
      });
    }
    const told = (message: string): object[] =>
      log.entries.filter((entry) => entry.message === message).map(({ fields = {} }) => fields);

    test("are pulled with the login, once for all that wait, and named by their digest", async () => {
      const image = `${registry.server}/team/worker:1`;
      await Promise.all([1, 2, 3].map(() => start(image, login())));
      await until("all have run", () => exits.length === 3);
      expect(exits.map(({ lastLines }) => lastLines)).toEqual([["pulled"], ["pulled"], ["pulled"]]);
      expect(told("an image was pulled")).toEqual([{ image, seconds: expect.any(Number) }]);
      const digest = `${registry.server}/team/worker@${registry.digest}`;
      expect(told("an image is ready")[0]).toEqual({ image, digest });

      const asked = registry.asked();
      await start(image, login());
      expect(registry.asked()).toBeGreaterThan(asked);
      await until("all have run", () => exits.length === 4);
    });

    test("that are there and came without a login are used without a registry", async () => {
      const open = startImageRegistry(await shellLayer());
      const image = `${open.server}/team/worker:1`;
      // How long the image was fetched, for the timeline of the first job; nothing where it was there.
      expect((await start(image)).pullMs).toBeGreaterThan(0);
      const asked = open.asked();
      expect((await start(`${open.server}/team/worker@${open.digest}`)).pullMs).toBeUndefined();
      expect(open.asked()).toBe(asked);
      await open.stop();
      await start(image);
      await until("all have run", () => exits.length === 3);
    });

    test("T4: pulled with a login are run by nobody without one, by tag, digest or id", async () => {
      const image = `${registry.server}/team/worker:1`;
      await start(image, login());
      await until("it has run", () => exits.length === 1);
      const { Id } = (await host.ask("GET", `/v1.41/images/${image}/json`)).json;
      const hex = Id.replace("sha256:", "");
      await host.tag(Id, "alias:1");
      const digest = `${registry.server}/team/worker@${registry.digest}`;
      const names = [
        image,
        digest,
        "alias:1",
        `forebay.invalid/pulled-with-login:${hex}`,
        hex.slice(0, 12),
        hex.slice(0, 1),
      ];
      for (const name of names) {
        const other = openProvider({ socketPath: host.socket, deployment: "other", log });
        const message = await rejection(startOn(other, name));
        expect([name, message]).toEqual([
          name,
          expect.stringMatching(/^Docker cannot start the container: /),
        ]);
        await other.close();
      }
      expect(await rejection(start(digest, { ...login(), password: "x" }))).toContain("refuses this image");
      for (const name of [Id, `sha256:${hex.slice(0, 4)}`, "sha256", hex]) {
        expect(provider.refusal(templateOf(name, { volumeInGb: 0 }))).toStartWith("imageName: ");
      }
      for (const name of [image, digest]) await start(name, login());
      await until("all have run", () => exits.length === 3);
    }, 60_000);

    test("without the right login are refused with what the registry says", async () => {
      const image = `${registry.server}/team/worker:1`;
      await expect(start(image)).rejects.toThrow(
        /^Docker cannot start the container: .*(no basic auth|unauthorized)/,
      );
      const wrong = start(image, { ...login(), password: "wrong-s3cr3t" });
      const sentence = `the registry ${registry.server} refuses this image to the registry login`;
      const message = await rejection(wrong);
      expect(message).toStartWith(`Docker cannot start the container: ${sentence}`);
      expect(message).not.toContain("s3cr3t");
      await expect(start("127.0.0.1:1/nobody/there:1")).rejects.toThrow("127.0.0.1:1");
      expect(await host.containers()).toEqual([]);
    });

    test("T9: a registry that repeats the login gets it into no reason and no log", async () => {
      const password = "wrong/s3cr3t?";
      const refusals = [(it: string) => `not ${it}`, (it: string) => atob(it.replace("Basic ", ""))];
      for (const refusal of refusals) {
        const echo = startImageRegistry(await shellLayer(), { login: "user:other", refusal });
        const given = { server: echo.server, username: "user", password };
        const message = await rejection(start(`${echo.server}/team/worker:1`, given));
        expect(message).toContain("its message is hidden");
        for (const text of [message, JSON.stringify(log.entries)]) {
          expect(text).not.toContain("s3cr3t");
          expect(text).not.toContain(btoa(`user:${password}`));
        }
        await echo.stop();
      }
    });
  });
}
