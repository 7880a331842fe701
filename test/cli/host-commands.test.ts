import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { makeCertificate } from "../support/certificate.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { cardRow, printedGpus, uuidOf } from "../support/nvidia-smi.ts";
import { SilentEngine } from "../support/silent-engine.ts";
import { type TemporaryDirectory, temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

describe("the commands for hosts", () => {
  let driver: AsyncDisposable;
  let server: TestServer;
  let endpoint: string;
  let directory: TemporaryDirectory;
  beforeAll(async () => {
    directory = await temporaryDirectory();
    driver = await printedGpus([cardRow(0), `${cardRow(1)}, 5, 512`, cardRow(2, "ERR!")]);
    server = await TestServer.start();
    const { json } = await server.post("/v1/templates", { name: "greeter", imageName: "process/hello" });
    await until("the GPUs are read", async () => (await local()).gpus.length === 3);
    endpoint = await server.endpoint({ templateId: json.id, gpuCount: 1, workersMin: 1 });
    await until("a worker has a GPU", async () => (await local()).workers.length === 1);
  });
  afterAll(async () => {
    await server.stop();
    await driver[Symbol.asyncDispose]();
    await directory[Symbol.asyncDispose]();
  });

  const local = async () => (await server.get("/v1/hosts/local")).json;
  const ended = (...args: string[]) => new ForebayCommand(args, { env: server.env }).ended();

  test("list the hosts, and show which worker has a GPU and why one is out of use", async () => {
    const { stdout: list } = await ended("hosts", "list");
    expect(list).toMatch(/^NAME +STATE +GPUS USED +WORKERS .*\nlocal +READY +1 of 3, 1 out of use +1 /);
    const { stdout: shown } = await ended("hosts", "show", "local");
    expect(shown).toMatch(
      /^name +local\nstate +READY\n(disk free +\d+ MB\n)?gpus +1 of 3, 1 out of use\nworkers +1\n/,
    );
    const [{ id }] = (await local()).workers;
    expect(shown).toMatch(new RegExp(`\n0 +NVIDIA L40S +ALLOCATED +${id} +${endpoint} +${uuidOf(0)}`));
    expect(shown).toMatch(new RegExp(`\n1 +NVIDIA L40S +FREE +5 % +512 MB +${uuidOf(1)}`));
    expect(shown).toMatch(new RegExp(`\n2 +OUT_OF_USE +${uuidOf(2)} +nvidia-smi shows ERR! for the GPU.\n`));
    expect(shown).toMatch(new RegExp(`\n${id} +${endpoint} +1 +20`));
  });

  test("with --json they print the answers of the API", async () => {
    expect(JSON.parse((await ended("hosts", "show", "local", "--json")).stdout)).toEqual(await local());
    expect(JSON.parse((await ended("hosts", "list", "--json")).stdout)).toEqual({ hosts: [await local()] });
  });

  test("create a host with labels, and change them", async () => {
    const engine = await SilentEngine.at(join(directory.path, "labels.sock"));
    const labels = ["--label", "eu", "--label", "gpu-a"];
    const made = await ended("hosts", "create", "labelled", engine.address, ...labels);
    expect([made.status, made.stdout]).toEqual([0, expect.stringMatching(/\nlabels +eu, gpu-a\n/)]);
    const changed = await ended("hosts", "update", "labelled", "--label", "us");
    expect(changed.stdout).toMatch(/\nlabels +us\n/);
    const none = await ended("hosts", "update", "labelled", "labels:=[]");
    expect([none.status, none.stdout]).toEqual([0, expect.not.stringMatching(/^labels /m)]);
    await ended("hosts", "delete", "labelled");
    await engine.stop();
  });

  test("create a host, drain it, resume it and delete it", async () => {
    const engine = await SilentEngine.at(join(directory.path, "engine.sock"));
    const gpu = `${uuidOf(7)}=NVIDIA H100 80GB HBM3:81559`;
    const made = await ended("hosts", "create", "gpu-1", engine.address, "--gpu", gpu);
    expect([made.status, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toMatch(/^name +gpu-1\nstate +READY\naddress +unix:\S+\ngpus +0 of 1\n/);
    expect(made.stdout).toMatch(new RegExp(`\n0 +NVIDIA H100 80GB HBM3 +FREE +${uuidOf(7)}`));
    expect((await server.get("/v1/hosts/gpu-1")).json.gpus[0].memoryInMb).toBe(81_559);
    expect((await ended("hosts", "drain", "gpu-1")).stdout).toMatch(/\nstate +DRAINING\n/);
    expect((await ended("hosts", "resume", "gpu-1")).stdout).toMatch(/\nstate +READY\n/);
    const gone = await ended("hosts", "delete", "gpu-1", "--lost");
    expect([gone.status, gone.stdout]).toEqual([0, "gpu-1 deleted\n"]);
    await engine.stop();
  });

  test("--tls sends the certificates of a directory", async () => {
    const authority = makeCertificate({ subject: "authority", isAuthority: true });
    const issuer = { name: "authority", key: authority.key };
    const ofEngine = makeCertificate({ subject: "engine", addresses: ["127.0.0.1"], issuer });
    const engine = await SilentEngine.withTls(ofEngine, authority.cert);
    const { cert, key } = makeCertificate({ subject: "forebay", issuer });
    const files = { ca: authority.cert, cert, key };
    const create = () => ended("hosts", "create", "tls", engine.address, "--tls", directory.path);
    const absent = await create();
    expect([absent.status, absent.stderr]).toEqual([2, expect.stringContaining("ca.pem")]);
    for (const [name, text] of Object.entries(files)) {
      await writeFile(join(directory.path, `${name}.pem`), text);
    }
    expect(await create()).toMatchObject({ status: 0, stderr: "" });
    await ended("hosts", "delete", "tls");
    await engine.stop();
  });

  test.each<[args: string[], sentence: string]>([
    [["hosts", "show"], "the name of the host is missing. See --help."],
    [["hosts", "show", "gpu-9"], "There is no host gpu-9."],
    [["hosts", "create", "a"], "the address of the engine is missing. See --help."],
    [["hosts", "create", "a", "tcp://127.0.0.1:1"], "No engine can be used at tcp://127.0.0.1:1"],
    [["hosts", "create", "a", "unix:///a", "--gpu", "x"], '--gpu takes <uuid>=<model>[:<MB>], got "x".'],
    [["hosts", "delete", "local"], "Host local is set in the configuration of the server"],
    [["hosts", "show", "../x"], '"../x" is not the id of a host: forebay hosts list shows them.'],
  ])("%p is exit code 2 with a sentence", async (args, sentence) => {
    const { status, stdout, stderr } = await ended(...args);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(sentence);
  });
});
