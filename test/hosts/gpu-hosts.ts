import { type Recorder, record, type RecordedCall } from "../docker/recorder.ts";
import { DockerHost } from "../support/docker-host.ts";
import { startDockerServer } from "../support/docker-server.ts";
import type { ServerProcess } from "../support/server-process.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

export const IMAGE = "team/typescript:1";

/** A real engine behind a socket that records which devices are asked for, and that can be cut off. */
interface GpuHost {
  readonly name: string;
  readonly engine: DockerHost;
  readonly line: Recorder;
}

/** A server and hosts of which each has declared GPUs: the machines of the tests have none. */
export class GpuHosts implements AsyncDisposable {
  readonly server: ServerProcess;
  readonly hosts: readonly GpuHost[];

  private constructor(server: ServerProcess, hosts: readonly GpuHost[]) {
    this.server = server;
    this.hosts = hosts;
  }

  static async start(names: readonly string[], cards: number, flags = {}): Promise<GpuHosts> {
    const hosts: GpuHost[] = [];
    for (const name of names) {
      const engine = await DockerHost.start();
      await importTypeScriptImage(engine, IMAGE);
      hosts.push({ name, engine, line: await record(engine.socket, { change: withoutDevices }) });
    }
    const [first] = hosts;
    if (first === undefined) throw new Error("there is a host");
    // The containers of all hosts share the network of this machine.
    const server = await startDockerServer(first.engine, { "docker-host": "", ...flags });
    const started = new GpuHosts(server, hosts);
    for (const { name } of hosts) await started.create(name, cards);
    return started;
  }

  async create(name: string, cards: number): Promise<void> {
    const gpus = Array.from({ length: cards }, (_, at) => ({ uuid: gpuOf(name, at), name: "NVIDIA L40S" }));
    const address = `unix://${this.host(name).line.socket}`;
    const { status, text } = await this.server.post("/v1/hosts", { name, address, gpus });
    if (status !== 200) throw new Error(text);
  }

  host(name: string): GpuHost {
    const host = this.hosts.find((one) => one.name === name);
    if (host === undefined) throw new Error(`there is no host ${name}`);
    return host;
  }

  /** The devices that the containers of a host were created with, by worker. */
  given(name: string): ReadonlyMap<string, readonly string[]> {
    const creates = this.host(name).line.calls.filter(isCreate);
    return new Map(
      creates.map(({ body }) => [
        String(body.Labels["io.forebay.worker"]),
        (body.HostConfig.DeviceRequests ?? []).flatMap(
          ({ DeviceIDs }: { DeviceIDs: readonly string[] }) => DeviceIDs,
        ),
      ]),
    );
  }

  /** Ids of the workers whose containers run there. */
  async running(name: string): Promise<string[]> {
    const all = await this.host(name).engine.containers();
    const up = all.filter(({ State }) => State === "running");
    return up.map(({ Labels }) => Labels["io.forebay.worker"]);
  }

  /** What the API says of a host: which worker has each device. */
  async ledger(name: string): Promise<ReadonlyMap<string, string>> {
    const { json } = await this.server.get(`/v1/hosts/${name}`);
    return new Map(
      json.gpus.flatMap(({ uuid, worker }: { uuid: string; worker?: { id: string } }) =>
        worker === undefined ? [] : [[uuid, worker.id]],
      ),
    );
  }

  async drain(name: string, isDraining: boolean): Promise<void> {
    const { status, text } = await this.server.call("PATCH", `/v1/hosts/${name}`, { isDraining });
    if (status !== 200) throw new Error(text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const { line } of this.hosts) line.mend();
      await this.server.stop();
    } finally {
      for (const { engine, line } of this.hosts) {
        await line[Symbol.asyncDispose]();
        await engine.stop();
      }
    }
  }
}

function gpuOf(host: string, at: number): string {
  return `GPU-${host}-${at}`;
}

function isCreate({ method, path }: RecordedCall): boolean {
  return method === "POST" && path.includes("/containers/create");
}

/** The machine has no GPUs, and may not allow unlimited memlock: the engine gets the call without both. */
function withoutDevices(call: RecordedCall): unknown {
  if (!isCreate(call)) return call.body;
  return { ...call.body, HostConfig: { ...call.body.HostConfig, DeviceRequests: [], Ulimits: [] } };
}
