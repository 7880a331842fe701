import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unmountIn } from "./mounts.ts";
import { killIfThere } from "./processes.ts";
import { until } from "./until.ts";

/** How long an engine may take to serve, ms. */
const READY_LIMIT = 60_000;

type Engine = "docker" | "podman";

export interface EngineAnswer {
  readonly status: number;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
  readonly json: any;
}

/** A real engine with data of its own and no network, which can be killed and started again. */
export class DockerHost {
  readonly directory = mkdtempSync(join(tmpdir(), "forebay-docker-"));
  readonly socket = join(this.directory, "engine.sock");
  readonly #engine: Engine;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(engine: Engine, flags: readonly string[]) {
    this.#engine = engine;
    this.#flags = flags;
  }

  /** `flags` are further ones of dockerd. */
  static async start(engine: Engine = "docker", flags: readonly string[] = []): Promise<DockerHost> {
    const host = new DockerHost(engine, flags);
    await host.startAgain();
    return host;
  }

  /** For `--docker-host`. */
  get url(): string {
    return `unix://${this.socket}`;
  }

  async startAgain(): Promise<void> {
    const log = openSync(join(this.directory, "engine.log"), "a");
    const [program = "", ...args] = this.#engine === "docker" ? this.#dockerd() : this.#podman();
    this.#child = spawn(program, args, { stdio: ["ignore", log, log], env: this.#env(), detached: true });
    closeSync(log);
    await until(
      "the engine serves",
      async () => {
        if (this.#child?.exitCode !== null) throw new Error(`the engine ended: ${this.#lastWords()}`);
        return (await this.ask("GET", "/_ping").catch(() => undefined))?.status === 200;
      },
      READY_LIMIT,
    );
  }

  /** With -9, and its containerd. Containers run on. */
  async kill(): Promise<void> {
    const child = this.#child;
    const ended = new Promise((resolve) => child?.on("exit", resolve));
    child?.kill("SIGKILL");
    await ended;
    for (const pid of this.#processes("containerd.toml")) killIfThere(pid);
    await until("its containerd is gone", () => this.#processes("containerd.toml").length === 0);
    // One that nobody has waited for yet would be taken for alive.
    rmSync(join(this.directory, "exec/containerd/containerd.pid"), { force: true });
  }

  /** Ends all that runs, and leaves nothing on the disk. */
  async stop(): Promise<void> {
    const all = await this.ask("GET", "/v1.41/containers/json?all=1").catch(() => undefined);
    for (const { Id } of all?.json ?? []) await this.ask("DELETE", `/v1.41/containers/${Id}?force=1&v=1`);
    const child = this.#child;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    for (const pid of this.#processes()) killIfThere(pid);
    await until("nothing of the engine runs", () => this.#processes().length === 0);
    unmountIn(this.directory);
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** A call of the Engine API. */
  ask(method: string, path: string, body?: object): Promise<EngineAnswer> {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const request = http.request(
        { socketPath: this.socket, method, path, headers, agent: false },
        (answer) => {
          const pieces: Buffer[] = [];
          answer.on("data", (piece: Buffer) => pieces.push(piece));
          answer.on("end", () => {
            const text = Buffer.concat(pieces).toString();
            resolve({ status: answer.statusCode ?? 0, text, json: jsonOf(text) });
          });
          answer.on("error", reject);
        },
      );
      request.on("error", reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Makes an image of a directory, with what `docker build` would call instructions. */
  async import(directory: string, image: string, ...changes: string[]): Promise<void> {
    const tar = spawnSync("tar", ["-C", directory, "-c", "."], { maxBuffer: 1_000_000_000 });
    const query = new URLSearchParams(changes.map((change): [string, string] => ["changes", change]));
    query.set("fromSrc", "-");
    // Not by `ask`: the HTTP client of node takes its time for a body of hundreds of megabytes.
    const url = `http://docker/v1.41/images/create?${query.toString()}`;
    const answer = await fetch(url, { method: "POST", unix: this.socket, body: tar.stdout });
    const text = await answer.text();
    const id = /"status":"(sha256:[0-9a-f]+)"/.exec(text)?.[1];
    if (id === undefined) throw new Error(text);
    await this.tag(id, image);
  }

  async tag(source: string, image: string): Promise<void> {
    const [, repo = "", tag = ""] = /^(.*):([^:]*)$/.exec(image) ?? [];
    const query = new URLSearchParams({ repo, tag });
    const { status, text } = await this.ask("POST", `/v1.41/images/${source}/tag?${query.toString()}`);
    if (status !== 201) throw new Error(text);
  }

  /** All containers, those that have ended too. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
  async containers(): Promise<any[]> {
    return (await this.ask("GET", "/v1.41/containers/json?all=1")).json;
  }

  #dockerd(): string[] {
    const { directory, url } = this;
    const files = `--data-root ${directory}/data --exec-root ${directory}/exec --pidfile ${directory}/pid`;
    const offline = "--iptables=false --ip6tables=false --ip-forward=false --ip-masq=false --bridge=none";
    return [...`dockerd ${files} -H ${url} ${offline} --live-restore`.split(" "), ...this.#flags];
  }

  #podman(): string[] {
    return ["podman", "system", "service", "--time=0", this.url];
  }

  /** Podman reads all else from files. Its default limits are more than a virtual machine may allow. */
  #env(): NodeJS.ProcessEnv {
    const { directory } = this;
    const containers = join(directory, "containers.conf");
    const storage = join(directory, "storage.conf");
    const limits = 'default_ulimits=["nofile=20000:20000","nproc=20000:20000"]';
    writeFileSync(containers, `[containers]\n${limits}\n[engine]\nruntime="runc"\n`);
    // Registries of tests have no TLS; Docker takes that from addresses of this machine without being told.
    const registries = join(directory, "registries.conf");
    writeFileSync(registries, '[[registry]]\nlocation="127.0.0.1"\ninsecure=true\n');
    const roots = `graphroot="${directory}/graph"\nrunroot="${directory}/run"`;
    writeFileSync(storage, `[storage]\ndriver="overlay"\n${roots}\n`);
    return {
      ...process.env,
      CONTAINERS_CONF: containers,
      CONTAINERS_STORAGE_CONF: storage,
      CONTAINERS_REGISTRIES_CONF: registries,
    };
  }

  #lastWords(): string {
    return readFileSync(join(this.directory, "engine.log"), "utf8").trim().split("\n").slice(-3).join("\n");
  }

  /** Processes that have the directory in their command line, and the pattern if there is one. */
  #processes(pattern = ""): number[] {
    return readdirSync("/proc")
      .filter((name) => /^[0-9]+$/.test(name))
      .filter((pid) => {
        const command = commandLineOf(pid);
        return command.includes(this.directory) && new RegExp(pattern).test(command);
      })
      .map(Number);
  }
}

function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
