import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importNginx, importPostgres } from "../support/base-images.ts";
import type { BuiltImage, Ended } from "../support/built-image.ts";
import { freePort } from "../support/free-port.ts";
import { TEST_KEY, TestClient } from "../support/test-client.ts";
import { until } from "../support/until.ts";

/** How long servers and a database may take to start, ms. */
const READY_LIMIT = 60_000;

/** A compose file of deploy, as it is, with the images that the engine has. */
class Deployment extends TestClient {
  readonly url: string;
  readonly #image: BuiltImage;
  readonly #text: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(image: BuiltImage, file: string, port: number, env: NodeJS.ProcessEnv = {}) {
    super();
    this.#image = image;
    const text = readFileSync(join(import.meta.dir, "../../deploy", file), "utf8");
    // The compose program of Debian 12 is older than this line, and takes the name as a flag.
    this.#text = text.replace(/^name: .*\n/m, "");
    this.url = `http://127.0.0.1:${port}`;
    this.#env = { PUBLISH: `127.0.0.1:${port}`, ...env };
  }

  compose(...words: string[]): Promise<Ended> {
    return this.#image.compose(this.#text, words, this.#env);
  }

  /** Creates and starts everything. */
  async up(): Promise<void> {
    const { status, stderr } = await this.compose("up", "--detach", "--no-build");
    if (status !== 0) throw new Error(stderr);
  }

  /** Each of these services takes requests. */
  async ready(...services: string[]): Promise<void> {
    for (const service of services) {
      const command = ["exec", "-T", service, "forebay", "ready", "--wait", String(READY_LIMIT / 1_000)];
      const { status, stdout, stderr } = await this.compose(...command);
      if (status !== 0) throw new Error(stdout + stderr + (await this.compose("logs", "--no-color")).stdout);
    }
    await until("it is served", async () => (await this.reached("/readyz")) === 200, READY_LIMIT);
  }

  /** Removes all, and fails if something stays. */
  async down(): Promise<void> {
    const { status, stderr } = await this.compose("down", "--volumes");
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(await this.#image.host.containers()).toEqual([]);
  }

  async reached(path: string): Promise<number> {
    try {
      return (await this.get(path)).status;
    } catch {
      return 0; // nobody listens yet
    }
  }
}

/** What a job on the demo endpoint comes to, through whatever is in front. */
async function greeting(server: TestClient, name: string, headers = {}) {
  return server.post("/v2/hello/runsync?wait=60000", { input: { name } }, headers);
}

export function composeFiles(given: () => BuiltImage): void {
  describe("deploy/compose.yaml", () => {
    test("starts a server that answers a job, and ends without a rest", async () => {
      const one = new Deployment(given(), "compose.yaml", await freePort());
      try {
        await one.up();
        await one.ready("forebay");
        const { stdout } = await one.compose("logs", "--no-color", "forebay");
        const [, key = ""] = /admin key \(shown only now\): (\S+)/.exec(stdout) ?? [];
        const { json } = await greeting(one, "Ada", { authorization: `Bearer ${key}` });
        expect(json).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
      } finally {
        await one.down();
      }
    }, 180_000);
  });

  describe("deploy/compose-postgres.yaml", () => {
    beforeAll(() => Promise.all([importNginx(given().host), importPostgres(given().host)]), 120_000);

    test.each(["POSTGRES_PASSWORD", "FOREBAY_SECRET_KEY", "FOREBAY_ADMIN_KEY"])(
      "without %s it says what to set, and where",
      async (missing) => {
        const all = { POSTGRES_PASSWORD: "a", FOREBAY_SECRET_KEY: "b", FOREBAY_ADMIN_KEY: "c" };
        const deployment = new Deployment(given(), "compose-postgres.yaml", 1, { ...all, [missing]: "" });
        const { status, stderr } = await deployment.compose("config");
        expect([status, stderr]).toEqual([1, expect.stringContaining("is required. Set it in deploy/.env")]);
      },
    );

    describe("with its secrets", () => {
      let two: Deployment;
      beforeAll(async () => {
        two = new Deployment(given(), "compose-postgres.yaml", await freePort(), {
          POSTGRES_PASSWORD: randomBytes(32).toString("hex"),
          FOREBAY_SECRET_KEY: randomBytes(32).toString("hex"),
          FOREBAY_ADMIN_KEY: TEST_KEY,
        });
        await two.up();
        await two.ready("forebay-1", "forebay-2");
      }, 180_000);
      afterAll(() => two.down(), 90_000);

      test("two servers answer jobs, and the console, through the balancer", async () => {
        for (let round = 0; round < 6; round++) {
          expect((await greeting(two, `${round}`)).json.output).toEqual({ greeting: `Hello, ${round}!` });
        }
        expect(await two.reached("/console")).toBe(200);
      });

      test("each of them can stop while jobs go on: every job that was accepted ends", async () => {
        for (const server of ["forebay-1", "forebay-2"]) {
          const enough = new AbortController();
          const ids: string[] = [];
          const submitting = (async () => {
            while (!enough.signal.aborted) {
              const answer = await two.post("/v2/hello/run", { input: { name: server } });
              if (answer.status === 200) ids.push(answer.json.id);
              else expect([502, 503]).toContain(answer.status);
            }
          })();
          await until("jobs go on", () => ids.length > 5);
          expect((await two.compose("stop", server)).status).toBe(0);
          const before = ids.length;
          await until("jobs go on at the other one", () => ids.length > before + 5);
          enough.abort();
          await submitting;
          for (const id of ids) {
            await until(
              "the job ends",
              async () => (await two.get(`/v2/hello/status/${id}`)).json.status === "COMPLETED",
              READY_LIMIT,
            );
          }
          expect((await two.compose("start", server)).status).toBe(0);
          await two.ready(server);
        }
      }, 240_000);
    });
  });
}
