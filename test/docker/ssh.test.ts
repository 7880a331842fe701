import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { freePort } from "../support/free-port.ts";
import { processesRunning } from "../support/processes.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

const LIMIT = 60_000;
const IMAGE = "team/typescript:1";

describe("an engine behind ssh", () => {
  const end = new AsyncDisposableStack();
  let host: DockerHost;
  let sshd: Sshd;
  beforeAll(async () => {
    host = await DockerHost.start();
    end.defer(() => host.stop());
    await importTypeScriptImage(host, IMAGE);
    sshd = end.use(await Sshd.start());
  });
  afterAll(() => end.disposeAsync());

  const serverTo = (address: string, config: string) =>
    startDockerServer(host, { "docker-host": address, "docker-ssh-config": config });
  /** Those that others left in the directory for temporary files do not count. */
  const earlier = new Set(readdirSync(tmpdir()));
  const tunnels = () =>
    readdirSync(tmpdir()).filter((name) => name.startsWith("forebay-ssh-") && !earlier.has(name));

  test("a job runs in a container of it, also after the connection broke, and nothing is left", async () => {
    await using end = new AsyncDisposableStack();
    const server = end.adopt(await serverTo(sshd.address(host.socket), sshd.config), (it) => it.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1, idleTimeout: 1 });
    expect((await server.ended(endpoint, await server.run(endpoint))).status).toBe("COMPLETED");
    const before = sshPids();
    expect(before).toHaveLength(1);
    for (const pid of before) process.kill(pid, "SIGKILL");
    expect((await server.ended(endpoint, await server.run(endpoint))).status).toBe("COMPLETED");
    expect(sshPids()).not.toEqual(before);
    await until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
    await server.terminate();
    expect([sshPids(), tunnels()]).toEqual([[], []]);
  });

  test("forebay doctor names it, or says why it is not reached, and leaves nothing", async () => {
    await using directory = await temporaryDirectory();
    const said = async (config: string): Promise<string> => {
      const data = ["--data", join(directory.path, "data"), "--port", "0"];
      const engine = ["--docker-host", sshd.address(host.socket), "--docker-ssh-config", config];
      return (await new ForebayCommand(["doctor", "--gpus", ...data, ...engine]).ended()).stdout;
    };
    const well = await said(sshd.config);
    expect(well).toMatch(/^ok +providers +ssh:\S+: Docker [0-9.]+/m);
    expect(well).toMatch(/^warn +gpus +ssh:\S+: The engine lists no GPUs. Set FOREBAY_DOCKER_GPU_PROBE, or/m);
    expect(await said(sshd.config.replace("known", "refused"))).toMatch(
      /^fault +providers .*permission denied/m,
    );
    expect([sshPids(), tunnels()]).toEqual([[], []]);
  });

  test("a host on ssh runs jobs, is refused where ssh is, and leaves nothing when deleted", async () => {
    await using end = new AsyncDisposableStack();
    const flags = { "docker-host": "", "docker-ssh-config": sshd.config };
    const server = end.adopt(await startDockerServer(host, flags), (it) => it.stop());
    const create = (address: string) => server.post("/v1/hosts", { name: "gpu-1", address });
    const refused = await create(sshd.address("/nowhere/docker.sock"));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("nothing answers at")]);
    expect([sshPids(), tunnels()]).toEqual([[], []]);
    expect((await create(sshd.address(host.socket))).status).toBe(200);
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1, idleTimeout: 1 });
    expect((await server.ended(endpoint, await server.run(endpoint))).status).toBe("COMPLETED");
    await until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
    expect(sshPids()).toHaveLength(1);
    await until("its worker is forgotten", async () => {
      return (await server.get("/v1/hosts/gpu-1")).json.workers.length === 0;
    });
    expect((await server.call("DELETE", "/v1/hosts/gpu-1")).status).toBe(204);
    await until("nothing is left", () => sshPids().length + tunnels().length === 0, LIMIT);
  });

  test("kill -9 of the server ends ssh, too", async () => {
    await using end = new AsyncDisposableStack();
    const server = end.adopt(await serverTo(sshd.address(host.socket), sshd.config), (it) => it.stop());
    expect(sshPids()).toHaveLength(1);
    await server.kill();
    await until("nothing is left", () => sshPids().length + tunnels().length === 0, LIMIT);
  });

  test.each([
    ["an unknown host key", () => sshd.config.replace("known", "unknown"), "does not accept the host key"],
    ["a key that the machine refuses", () => sshd.config.replace("known", "refused"), "permission denied"],
  ])("with %s no worker starts, and the reason is told", async (_, config, reason) => {
    expect(await toldWith(sshd.address(host.socket), config())).toContain(reason);
  });

  test("where no engine answers, or no machine, the reason is told", async () => {
    const nowhere = "/nowhere/docker.sock";
    expect(await toldWith(sshd.address(nowhere), sshd.config)).toContain(`nothing answers at ${nowhere}`);
    // A name that is too long for any name server to know.
    const machine = `${"a".repeat(64)}.invalid`;
    expect(await toldWith(`ssh://${machine}`, sshd.config)).toContain(
      `ssh cannot find a host named ${machine}`,
    );
  });

  async function toldWith(address: string, config: string): Promise<unknown> {
    await using end = new AsyncDisposableStack();
    const server = end.adopt(await serverTo(address, config), (it) => it.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1 });
    await server.run(endpoint);
    const told = await until("it is told", () => server.logged("a host does not answer")[0], LIMIT);
    return told["reason"];
  }

  /** The clients of the servers of this file. */
  function sshPids(): number[] {
    return processesRunning(`ssh\0-F\0${sshd.directory}/`);
  }
});

/** An ssh server on this machine, for its own user, and configurations of clients. */
class Sshd implements AsyncDisposable {
  readonly directory: string;
  readonly #port: number;
  readonly #child: ChildProcess;
  readonly #end: AsyncDisposableStack;

  private constructor(directory: string, port: number, child: ChildProcess, end: AsyncDisposableStack) {
    this.directory = directory;
    this.#port = port;
    this.#child = child;
    this.#end = end;
  }

  static async start(): Promise<Sshd> {
    const end = new AsyncDisposableStack();
    const directory = end.use(await temporaryDirectory()).path;
    const port = await freePort();
    const path = (name: string): string => join(directory, name);
    for (const name of ["host", "user", "stranger"]) {
      spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path(name)]);
    }
    const hostKey = readFileSync(path("host.pub"), "utf8");
    writeFileSync(path("known_hosts"), `[127.0.0.1]:${port} ${hostKey}`);
    writeFileSync(path("authorized_keys"), readFileSync(path("user.pub")), { mode: 0o600 });
    const config = (key: string, hosts: string): string =>
      [
        `IdentityFile ${path(key)}`,
        "IdentitiesOnly yes",
        `UserKnownHostsFile ${hosts}`,
        "GlobalKnownHostsFile none",
        "",
      ].join("\n");
    writeFileSync(path("config-known"), config("user", path("known_hosts")));
    writeFileSync(path("config-unknown"), config("user", path("no_hosts")));
    writeFileSync(path("config-refused"), config("stranger", path("known_hosts")));
    mkdirSync("/run/sshd", { recursive: true });
    const options = [
      `HostKey=${path("host")}`,
      `AuthorizedKeysFile=${path("authorized_keys")}`,
      "ListenAddress=127.0.0.1",
      "PidFile=none",
      "StrictModes=no",
      "UsePAM=no",
      "PermitRootLogin=prohibit-password",
    ].flatMap((option) => ["-o", option]);
    const args = ["-D", "-e", "-f", "/dev/null", "-p", String(port), ...options];
    const child = spawn("/usr/sbin/sshd", args, { stdio: "ignore" });
    const scan = ["-p", String(port), "127.0.0.1"];
    await until("sshd listens", () => spawnSync("ssh-keyscan", scan).stdout.length > 0);
    return new Sshd(directory, port, child, end);
  }

  get config(): string {
    return join(this.directory, "config-known");
  }

  address(socket: string): string {
    return `ssh://127.0.0.1:${this.#port}${socket}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#child.kill();
    await ended;
    await this.#end.disposeAsync();
  }
}
