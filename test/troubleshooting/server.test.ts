import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { type BalancerProgram, NGINX, startBalancer } from "../support/load-balancer.ts";
import { FOREBAY, ServerProcess } from "../support/server-process.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

/** Each test shows a symptom of docs/troubleshooting.md, and then that the action of its row cures it. */
describe("a server that cannot be reached", () => {
  test("UNREACHABLE: nothing listens there; once the server runs the command works", async () => {
    const port = String(await freePort());
    const env = { FOREBAY_KEY: TEST_KEY, FOREBAY_URL: `http://127.0.0.1:${port}` };
    const refused = await new ForebayCommand(["endpoints", "list"], { env }).ended();
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining(`127.0.0.1:${port}`)]);
    const server = await TestServer.start({ flags: { port } });
    try {
      expect((await new ForebayCommand(["endpoints", "list"], { env }).ended()).status).toBe(0);
    } finally {
      await server.stop();
    }
  }, 90_000);

  test("a taken port stops the start with its number; another --port works", async () => {
    const server = await ServerProcess.start();
    try {
      const { port } = new URL(server.url);
      const serve = ["serve", "--data", ":memory:", "--port"];
      const refused = await new ForebayCommand([...serve, port]).ended();
      expect([refused.status, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`Port ${port} is in use`),
      ]);
    } finally {
      await server.stop();
    }
    const other = await ServerProcess.start();
    await other.stop();
  });
});

test("a worker is told to call 127.0.0.1; with FOREBAY_PUBLIC_URL it is told that address", async () => {
  const told = async (flags: Record<string, string>): Promise<string> => {
    const server = await TestServer.start({ flags });
    try {
      const { env } = await server.worker(await server.endpoint());
      return new URL(env["RUNPOD_WEBHOOK_GET_JOB"] ?? "").host;
    } finally {
      await server.stop();
    }
  };
  expect(await told({})).toStartWith("127.0.0.1:");
  expect(await told({ "public-url": "http://host.docker.internal:8000" })).toBe("host.docker.internal:8000");
});

const PYTHON = "/usr/bin/python3";
const isManaged = ["", "3.11", "3.12", "3.13"].some((version) =>
  existsSync(`/usr/lib/python${version}/EXTERNALLY-MANAGED`),
);

/** A package as small as can be. */
const MAKE_WHEEL = `
import zipfile
with zipfile.ZipFile("mine-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("mine-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: mine\\nVersion: 1.0\\n")
    tags = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    wheel.writestr("mine-1.0.dist-info/WHEEL", tags)
    wheel.writestr("mine-1.0.dist-info/RECORD", "")
`;

test.skipIf(!isManaged)("pip refuses an externally managed Python; that of a venv installs", async () => {
  await using directory = await temporaryDirectory();
  const run = (...words: string[]): { status: number | null; said: string } => {
    const [program = "", ...args] = words;
    const env = { ...process.env, PIP_BREAK_SYSTEM_PACKAGES: undefined };
    const { status, stdout, stderr } = spawnSync(program, args, {
      cwd: directory.path,
      encoding: "utf8",
      env,
    });
    return { status, said: stdout + stderr };
  };
  const install = ["-m", "pip", "install", "--no-index", "./mine-1.0-py3-none-any.whl"];
  expect(run(PYTHON, "-c", MAKE_WHEEL)).toEqual({ status: 0, said: "" });
  const refused = run(PYTHON, ...install);
  expect([refused.status, refused.said]).toEqual([
    1,
    expect.stringContaining("externally-managed-environment"),
  ]);
  expect(run(PYTHON, "-m", "venv", ".venv").status).toBe(0);
  expect(run(".venv/bin/python", ...install).said).toContain("Successfully installed mine-1.0");
});

test.skipIf(process.getuid?.() !== 0)(
  "the Docker socket of another user; of one's own it works",
  async () => {
    await using directory = await temporaryDirectory();
    chmodSync(directory.path, 0o755);
    const socket = join(directory.path, "engine.sock");
    const version = { Version: "20.10.24", ApiVersion: "1.41", CgroupVersion: "2" };
    const engine = createServer((_, response) => {
      response.setHeader("api-version", version.ApiVersion).end(JSON.stringify(version));
    });
    await new Promise<void>((resolve) => engine.listen(socket, resolve));
    chmodSync(socket, 0o600);
    const env = { FOREBAY_DATA: ":memory:", FOREBAY_DOCKER_HOST: `unix://${socket}` };
    try {
      const doctor = async (...as: string[]): Promise<string> => {
        const words = [...as, "node", FOREBAY, "doctor", "--port", "0"];
        const child = Bun.spawn(words, { env: { ...process.env, ...env }, stdout: "pipe" });
        return new Response(child.stdout).text();
      };
      expect(await doctor("runuser", "-u", "nobody", "--")).toMatch(
        /^fault +providers .*EACCES.*allow the user of the server to use its socket/m,
      );
      expect(await doctor()).toMatch(/^ok +providers .*20\.10\.24/m);
    } finally {
      engine.close();
    }
  },
);

/** With the timeout of nginx shortened, as if it were its default of 60 s and the job longer than that. */
const IMPATIENT: BalancerProgram = {
  ...NGINX,
  command: (configuration, directory) => {
    const text = readFileSync(configuration, "utf8");
    writeFileSync(configuration, text.replace(/proxy_read_timeout .*;/, "proxy_read_timeout 1s;"));
    return NGINX.command(configuration, directory);
  },
};

test.skipIf(!existsSync("/usr/sbin/nginx"))(
  "a proxy that waits too short cuts calls that wait; with the settings of deploy they are answered",
  async () => {
    const server = await TestServer.start();
    try {
      const endpoint = await server.endpoint();
      const runsync = async (program: BalancerProgram): Promise<string> => {
        await using proxy = await startBalancer(program, [server.url, server.url]);
        const call = `${proxy.url}/v2/${endpoint}/runsync?wait=3000`;
        const words = ["-sS", call, "-H", `Authorization: Bearer ${TEST_KEY}`, "--json", '{"input":{}}'];
        const child = Bun.spawn(["curl", ...words], { stdout: "pipe", stderr: "pipe" });
        return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
      };
      expect(await runsync(IMPATIENT)).toContain("curl: (18) transfer closed with outstanding read data");
      expect(await runsync(NGINX)).toContain('"status":"IN_QUEUE"');
    } finally {
      await server.stop();
    }
  },
);
