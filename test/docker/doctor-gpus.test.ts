import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Finding } from "../../src/doctor/finding.ts";
import { DockerHost } from "../support/docker-host.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { gpuEngine, importSmiImage } from "./gpu-engine.ts";

const UUIDS = ["GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f", "GPU-0aa1b8c1-14c7-6a50-dd51-bb8b23b6a2c1"];
const [FIRST = "", SECOND = ""] = UUIDS;

describe("forebay doctor --gpus", () => {
  let host: DockerHost;
  beforeAll(async () => {
    host = await DockerHost.start();
    await importSmiImage(host, "smi:1", "NVIDIA L40S");
  });
  afterAll(() => host.stop());

  async function gpus(args: readonly string[], path = process.env["PATH"] ?? ""): Promise<string[]> {
    await using directory = await temporaryDirectory();
    const all = ["doctor", "--json", "--data", join(directory.path, "data"), "--port", "0", ...args];
    const { stdout } = await new ForebayCommand(all, { env: { PATH: path } }).ended();
    const { findings }: { findings: Finding[] } = JSON.parse(stdout);
    return findings.filter(({ part }) => part === "gpus").map(({ state, says }) => `${state} ${says}`);
  }

  test("shows that a container with a GPU sees no other, or that it does", async () => {
    await using engine = await gpuEngine(host.socket, UUIDS);
    const url = `unix://${engine.socket}`;
    const flags = ["--gpus", "--docker-host", url, "--docker-gpu-probe", "smi:1"];
    const cards = [
      "ok this machine has no GPU: nvidia-smi is missing, or lists none",
      `ok ${url}: GPU 0, NVIDIA L40S, 46068 MB, ${FIRST}`,
      `ok ${url}: GPU 1, NVIDIA L40S, 46068 MB, ${SECOND}`,
    ];
    const well = UUIDS.map((uuid) => `ok a container with ${uuid} sees only this GPU`);
    expect(await gpus(flags)).toEqual([...cards, ...well]);
    engine.leaks = true;
    const leaky = UUIDS.map((uuid) => `fault a container with ${uuid} sees ${FIRST}, ${SECOND}`);
    expect(await gpus(flags)).toEqual([...cards, ...leaky]);
    expect(await host.containers()).toEqual([]);
  });

  test("says what it did not try, and starts nothing without the flag", async () => {
    await using engine = await gpuEngine(host.socket, UUIDS);
    const url = `unix://${engine.socket}`;
    engine.cdi = [FIRST];
    expect(await gpus(["--gpus", "--docker-host", url])).toEqual([
      "ok this machine has no GPU: nvidia-smi is missing, or lists none",
      `ok ${url}: GPU 0, NVIDIA GPU, ${FIRST}`,
      `warn ${url}: the GPUs of containers were not tested`,
    ]);
    expect(await gpus(["--docker-host", url, "--docker-gpu-probe", "smi:1"])).toEqual([]);
    expect(engine.requests).toEqual([]);
  });

  test("lists the GPUs of this machine, and those that fail", async () => {
    await using directory = await temporaryDirectory();
    const rows = [`0, ${FIRST}, NVIDIA L40S, 46068, [N/A]`, `1, ${SECOND}, NVIDIA L40S, ERR!, [N/A]`];
    const script = `#!/bin/sh\n${rows.map((row) => `echo '${row}'`).join("\n")}\n`;
    writeFileSync(join(directory.path, "nvidia-smi"), script, { mode: 0o755 });
    expect(await gpus(["--gpus"], `${directory.path}:${process.env["PATH"]}`)).toEqual([
      `ok this machine: GPU 0, NVIDIA L40S, 46068 MB, ${FIRST}`,
      "fault this machine: GPU 1 is out of use: nvidia-smi shows ERR! for the GPU",
      "ok processes get their GPU with CUDA_VISIBLE_DEVICES, which a program can change; this was not tested",
    ]);
  });
});
