import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Template } from "../../src/domain/template.ts";
import type { DockerSettings } from "../../src/fleet/docker/container-body.ts";
import type { Provider, WorkerExit, WorkerOrder } from "../../src/fleet/provider.ts";
import { DockerHost } from "../support/docker-host.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { MemoryOutput } from "../support/memory-output.ts";
import { templateOf } from "../support/template-of.ts";
import { until } from "../support/until.ts";
import { importShellImage } from "../support/worker-images.ts";
import { openProvider } from "./contract-on.ts";
import { record, type Recorder } from "./recorder.ts";

const MB = 1_048_576;
const NETWORK = "forebay-test";

describe("the container of a worker", () => {
  let host: DockerHost;
  let recorder: Recorder;
  let log: MemoryLog;
  let provider: Provider;
  let exits: WorkerExit[];
  let output: MemoryOutput;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importShellImage(host, "shell:1");
    await host.ask("POST", "/v1.41/networks/create", { Name: NETWORK });
  });
  afterAll(() => host.stop());
  beforeEach(async () => {
    log = new MemoryLog();
    exits = [];
    recorder = await record(host.socket);
  });
  afterEach(async () => {
    for (const worker of await provider.list()) await provider.stop(worker, 0);
    await provider.close();
    await recorder[Symbol.asyncDispose]();
    expect(log.errors).toEqual([]);
  });

  function open(settings: Partial<DockerSettings> = {}): void {
    output = new MemoryOutput();
    const own = { deployment: "d1", server: "s1", log, output, settings };
    provider = openProvider({ socketPath: recorder.socket, ...own });
    provider.onExit((exit) => exits.push(exit));
  }

  /** What the engine was told of the last container that it was asked for. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of any shape
  const told = (): any => recorder.calls.findLast(({ path }) => path.includes("/containers/create"))?.body;

  async function start(template: Partial<Template>, more: Partial<WorkerOrder> = {}): Promise<string> {
    const worker = `w${crypto.randomUUID()}`;
    await provider.start({
      worker,
      endpoint: "e1",
      template: templateOf("shell:1", { volumeInGb: 0, ...template }),
      environment: { RUNPOD_POD_ID: worker, TAKEN: "server" },
      ...more,
    });
    return worker;
  }
  const endOf = (worker: string) => until("it ended", () => exits.find((exit) => exit.worker === worker));

  test("is told exactly this, and nothing of a template reaches further", async () => {
    open();
    const worker = await start({
      containerDiskInGb: 0,
      volumeInGb: 7,
      volumeMountPath: "/data",
      env: { A: "1", TAKEN: "author" },
      dockerEntrypoint: ["sh"],
      dockerStartCmd: ["-c", "echo --privileged"],
      ports: ["80/http"],
      // Whatever a record could have beside its members.
      ...({
        Privileged: true,
        privileged: true,
        Binds: ["/:/host"],
        HostConfig: { Privileged: true },
      } as object),
    });
    const image = (await host.ask("GET", "/v1.41/images/shell:1/json")).json.Id;
    const { NCPU } = (await host.ask("GET", "/v1.41/info")).json;
    expect(told()).toEqual({
      Image: image,
      Entrypoint: ["sh"],
      Cmd: ["-c", "echo --privileged"],
      Env: [
        "A=1",
        "TAKEN=server",
        `RUNPOD_POD_HOSTNAME=forebay-${worker}`,
        `RUNPOD_CPU_COUNT=${NCPU}`,
        `RUNPOD_POD_ID=${worker}`,
      ],
      Labels: {
        "io.forebay.deployment": "d1",
        "io.forebay.server": "s1",
        "io.forebay.endpoint": "e1",
        "io.forebay.worker": worker,
        "io.forebay.image": "shell:1",
      },
      StopSignal: "SIGTERM",
      ExposedPorts: {},
      HostConfig: {
        NetworkMode: "none",
        PortBindings: {},
        CapDrop: ["ALL"],
        SecurityOpt: ["no-new-privileges"],
        PidsLimit: 100,
        Memory: 256 * MB,
        MemorySwap: 256 * MB,
        LogConfig: { Type: "json-file", Config: { "max-size": "10m", "max-file": "3" } },
        RestartPolicy: { Name: "no" },
        Mounts: [
          {
            Type: "volume",
            Source: "forebay-d1-e1",
            Target: "/data",
            VolumeOptions: {
              NoCopy: true,
              Labels: { "io.forebay.deployment": "d1", "io.forebay.endpoint": "e1" },
            },
          },
        ],
      },
    });
    expect((await endOf(worker)).lastLines).toEqual(["--privileged"]);
  });

  test("T3: what looks like options, commands or more variables is data: each text stays one", async () => {
    open();
    const env = { A: "1\nB=2", C: "$(id) `id` \"'", D: "--privileged", LD_PRELOAD: "" };
    const words = ["--privileged", ";touch /tmp/x", "$(id)", "a\nb", "-v/:/host", ""];
    const worker = await start({
      env,
      dockerEntrypoint: ["sh", "-c", 'echo $# "$A" "$B" "$C" "$D"; for word; do echo "<$word>"; done', "sh"],
      dockerStartCmd: words,
    });
    const exit = await endOf(worker);
    expect(exit.lastLines.join("\n")).toBe(
      [`6 1\nB=2  ${env.C} --privileged`, ...words.map((word) => `<${word}>`)].join("\n"),
    );
    const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    expect(told().Env.slice(0, given.length)).toEqual(given);
    expect(told().Cmd).toEqual(words);
    const { Privileged, Binds, CapAdd, NetworkMode } = told().HostConfig;
    expect([Privileged, Binds, CapAdd, NetworkMode]).toEqual([undefined, undefined, undefined, "none"]);
  });

  test("2.8 in the worker: image, disks, volume, program, env and ports as they were said", async () => {
    open({ network: NETWORK });
    const script = [
      "echo $0 $1",
      "echo $MODEL",
      'test -w "/a b/models" && echo has the volume',
      "test -x /bin/busybox && echo has the image",
      "echo here > /tmp/disk && cat /tmp/disk",
      "test -n $RUNPOD_TCP_PORT_8888 && echo has the port",
    ].join(" && ");
    const worker = await start({
      volumeInGb: 1,
      volumeMountPath: "/a b/models",
      containerDiskInGb: 2,
      env: { MODEL: "größer $HOME" },
      dockerEntrypoint: ["sh", "-c"],
      dockerStartCmd: [script, "first", "--second"],
      ports: ["8888/http"],
    });
    expect((await endOf(worker)).lastLines).toEqual([
      "first --second",
      "größer $HOME",
      "has the volume",
      "has the image",
      "here",
      "has the port",
    ]);
    expect(told().HostConfig.Mounts[0].Target).toBe("/a b/models");
    // Where the engine cannot limit it, it is asked again without.
    const asked = recorder.calls.find(({ path }) => path.includes("/containers/create"));
    expect(asked?.body.HostConfig.StorageOpt).toEqual({ size: "2G" });
  });

  test.each([
    { dockerEntrypoint: [], dockerStartCmd: [], line: "command of the image: a b", keys: [] },
    { dockerEntrypoint: [], dockerStartCmd: ["echo", "mine"], line: "mine", keys: ["Cmd"] },
    {
      dockerEntrypoint: ["echo"],
      dockerStartCmd: [],
      line: "sh -c echo command of the image: $0 $@ a b",
      keys: ["Entrypoint", "Cmd"],
    },
    { dockerEntrypoint: ["echo"], dockerStartCmd: ["x"], line: "x", keys: ["Entrypoint", "Cmd"] },
  ])(
    "runs what template and image say: $dockerEntrypoint $dockerStartCmd",
    async ({ line, keys, ...program }) => {
      open();
      expect((await endOf(await start(program))).lastLines).toEqual([line]);
      expect(Object.keys(told()).filter((key) => ["Entrypoint", "Cmd"].includes(key))).toEqual([...keys]);
    },
  );

  test("has the limits that the operator sets, and the user", async () => {
    open({ user: "1000:1000", memory: 64 * MB, cpus: 0.5, pids: 7, capabilities: ["CHOWN"] });
    const script = "id; grep -E 'CapEff|NoNewPrivs' /proc/self/status";
    const worker = await start({ dockerStartCmd: ["sh", "-c", script] });
    const { lastLines } = await endOf(worker);
    expect(lastLines).toEqual([
      "uid=1000 gid=1000 groups=1000",
      "CapEff:\t0000000000000000",
      "NoNewPrivs:\t1",
    ]);
    expect(told()).toMatchObject({
      User: "1000:1000",
      HostConfig: { Memory: 64 * MB, NanoCpus: 5e8, PidsLimit: 7, CapAdd: ["CHOWN"] },
    });
    const forks = "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; echo all";
    expect((await endOf(await start({ dockerStartCmd: ["sh", "-c", forks] }))).lastLines).not.toContain(
      "all",
    );
  });

  test("without a limit of the operator it may have nine tenths of the machine's memory", async () => {
    open({ memory: 0 });
    await endOf(await start({ dockerStartCmd: ["true"] }));
    const { MemTotal } = (await host.ask("GET", "/v1.41/info")).json;
    expect(told().HostConfig.Memory).toBe(Math.floor(MemTotal * 0.9));
  });

  test("has a limited disk where the engine can do that; where not the log says so, once", async () => {
    open();
    await Promise.all([1, 2].map(async () => endOf(await start({ dockerStartCmd: ["true"] }))));
    await endOf(await start({ dockerStartCmd: ["true"] }));
    const sizes = recorder.calls
      .filter(({ path }) => path.includes("/containers/create"))
      .map(({ body }) => body.HostConfig.StorageOpt?.size);
    expect(sizes[0]).toBe("50G");
    expect(sizes.filter((size) => size === undefined)).toHaveLength(3);
    expect(log.entries.filter(({ message }) => message.includes("cannot limit the disks"))).toHaveLength(1);
  });

  test("has its ports published on free ones of the machine, and gets their numbers", async () => {
    open({ network: NETWORK, publishPorts: { first: 21_000, last: 21_003 } });
    const ports = ["80/http", "22/tcp", "80/tcp"];
    const script = "echo $RUNPOD_TCP_PORT_80 $RUNPOD_TCP_PORT_22 $RUNPOD_PUBLIC_IP; exec sleep 1000";
    const workers: string[] = [];
    for (let count = 0; count < 2; count++)
      workers.push(await start({ ports, dockerStartCmd: ["sh", "-c", script] }));
    const told = await Promise.all(
      workers.map((worker) => until("it tells its ports", () => output.printed(worker)[0])),
    );
    const published = told.map((line) => line.split(" "));
    expect(published.map(([, , address]) => address)).toEqual(["127.0.0.1", "127.0.0.1"]);
    const used = published.flatMap(([first, second]) => [first, second]).toSorted();
    expect(used).toEqual(["21000", "21001", "21002", "21003"]);
    const last = recorder.calls.findLast(({ path }) => path.includes("/containers/create"))?.body;
    expect(last.HostConfig.ExtraHosts).toEqual(["host.docker.internal:host-gateway"]);
    await expect(start({ ports, dockerStartCmd: ["true"] })).rejects.toThrow("port");
  });

  test("gets as many cores as its endpoint says, and never more than the operator says", async () => {
    const cores = () => told().HostConfig.NanoCpus;
    open();
    await endOf(await start({ dockerStartCmd: ["true"] }));
    expect(cores()).toBeUndefined();
    await endOf(await start({ dockerStartCmd: ["true"] }, { cores: 1 }));
    expect(cores()).toBe(1e9);
    await provider.close();
    open({ cpus: 0.5 });
    await endOf(await start({ dockerStartCmd: ["true"] }, { cores: 1 }));
    expect(cores()).toBe(0.5e9);
    await provider.close();
    open({ cpus: 1.5 });
    await endOf(await start({ dockerStartCmd: ["true"] }, { cores: 1 }));
    expect(cores()).toBe(1e9);
    await endOf(await start({ dockerStartCmd: ["true"] }));
    expect(cores()).toBe(1.5e9);
  });

  test("two deployments on one engine do not touch each other's", async () => {
    open();
    const other = openProvider({ socketPath: host.socket, deployment: "d2", server: "s1", log });
    const script = { dockerStartCmd: ["sleep", "1000"], volumeInGb: 1 };
    const worker = await start(script);
    expect(await other.list()).toEqual([]);
    expect(await other.kept()).toEqual([]);
    await other.stop(worker, 0);
    await other.forget("e1");
    await other.close();
    expect(await provider.list()).toEqual([worker]);
    expect(await provider.kept()).toEqual(["e1"]);
  });
});
