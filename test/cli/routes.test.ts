import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATIONS as DEFINED } from "../../src/http/operations.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { SilentEngine } from "../support/silent-engine.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { WebhookServer } from "../support/webhook-server.ts";
import { until } from "../support/until.ts";
import { DEMO_ENDPOINT, reachingCommands, SAME_AS, OF_OTHERS } from "./reaching-commands.ts";

/** Every operation that a key opens, as `METHOD path`. */
const OPERATIONS = DEFINED.filter(({ access }) => access !== "worker" && access !== "anyone").map(
  ({ method, path }) => `${method} ${path}`,
);

describe("every operation of the API that keys open is reached by a command", () => {
  let world: WebhookServer;
  let directory: TemporaryDirectory;
  let proxy: Bun.Server<undefined>;
  const seen: string[] = [];
  const engines: SilentEngine[] = [];
  beforeAll(async () => {
    directory = await temporaryDirectory();
    world = await WebhookServer.start({ demo: "true", data: join(directory.path, "data") });
    proxy = Bun.serve({
      port: 0,
      idleTimeout: 60,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        seen.push(`${request.method} ${pathname.replace(/^\/sdk/, "")}`);
        const body = ["GET", "DELETE"].includes(request.method) ? null : await request.arrayBuffer();
        const { method, headers } = request;
        return fetch(`${world.server.url}${pathname}${search}`, { method, headers, body, decompress: false });
      },
    });
  });
  afterAll(async () => {
    await proxy.stop(true);
    await world.server.stop();
    for (const engine of engines) await engine.stop();
    await directory[Symbol.asyncDispose]();
  });

  const commands = reachingCommands(
    () => world,
    async () => {
      const engine = await SilentEngine.at(join(directory.path, `${engines.length}.sock`));
      engines.push(engine);
      return engine.address;
    },
  );

  test("there is one for each, and for no other", () => {
    const named = [...Object.keys(commands), ...Object.keys(SAME_AS), ...OF_OTHERS];
    expect(named.toSorted()).toEqual(OPERATIONS.toSorted());
    for (const operation of Object.values(SAME_AS)) expect(Object.keys(commands)).toContain(operation);
  });

  test.each(Object.entries(commands))("%s", async (operation, argsOf) => {
    const { args, input, meanwhile } = await argsOf();
    expect(COMMANDS.has(args.slice(0, 2).join(" ")) || COMMANDS.has(args[0] ?? "")).toBe(true);
    seen.length = 0;
    const env = { FOREBAY_URL: proxy.url.origin, FOREBAY_KEY: TEST_KEY };
    const given = input === undefined ? { env } : { env, input };
    const command = new ForebayCommand(args, given);
    const route = new RegExp(`^${operation.replaceAll("{route}", ".+").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    const isSeen = (): boolean => seen.some((call) => route.test(call));
    if (meanwhile !== undefined) {
      await until(`it calls ${operation}`, isSeen);
      await meanwhile();
    }
    const { status, stderr } = await command.ended();
    expect({ status, stderr, isSeen: isSeen() }).toMatchObject({ status: 0, isSeen: true });
  });

  test("the endpoint of the example runs the jobs of these", async () => {
    const { jobs } = (await world.server.get(`/v2/${DEMO_ENDPOINT}/health`)).json;
    expect(jobs.completed).toBeGreaterThan(0);
  });
});
