import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ForebayCommand } from "../support/forebay-command.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { TestServer } from "../support/test-server.ts";
import { until } from "../support/until.ts";

type Members = Readonly<Record<string, unknown>>;

const CARDS = `echo '0, GPU-1, NVIDIA L40S, 46068, Disabled'
echo '1, GPU-2, NVIDIA L40S, 46068, Disabled'
echo '2, GPU-3, Tesla T4, 15360, Disabled'`;

describe("an endpoint on a machine with two L40S and one T4", () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.start(CARDS);
    await until("the GPUs are read", async () => (await machine.create({ gpuCount: 9 })).status === 400);
  });
  afterAll(() => machine.stop());

  const refused: [Members, string][] = [
    [
      { gpuTypeIds: ["NVIDIA L40S", "NVIDIA RTX 9"] },
      'gpuTypeIds: "NVIDIA RTX 9" is not the name of a GPU. Available GPUs: NVIDIA L40S, Tesla T4.',
    ],
    [
      { gpuTypeIds: ["NVIDIA GeForce RTX 4090"] },
      "The worker needs 1 × NVIDIA GeForce RTX 4090; local has no NVIDIA GeForce RTX 4090. " +
        "Available GPUs: NVIDIA L40S, Tesla T4.",
    ],
    [
      { gpuCount: 3 },
      "No host is large enough, even when empty. The worker needs 3 GPUs of one model; " +
        "local has 2 of 2 NVIDIA L40S and 1 of 1 Tesla T4 free.",
    ],
    [{ gpuCount: 2, gpuTypeIds: ["T4"] }, "The worker needs 2 × T4; local has 1 of 1 Tesla T4 free."],
  ];

  test.each(refused)("%j is refused at the call, whichever call it is", async (members, sentence) => {
    const { id } = (await machine.create({})).json;
    for (const { status, json } of [
      await machine.create(members),
      await machine.server.call("PATCH", `/v1/endpoints/${id}`, members),
      await machine.server.post(`/v1/endpoints/${id}/update`, members),
    ]) {
      expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
      expect(json.error).toContain(sentence);
    }
    const { gpuCount, gpuTypeIds } = (await machine.server.get(`/v1/endpoints/${id}`)).json;
    expect([gpuCount, gpuTypeIds]).toEqual([undefined, []]);
  });

  test("is refused by the commands, too, with the same sentence", async () => {
    const words = ["endpoints", "create", "chat", "--template", machine.template, "--gpus", "3"];
    const { status, stderr } = await new ForebayCommand(words, { env: machine.server.env }).ended();
    expect(status).toBe(2);
    expect(stderr).toContain("The worker needs 3 GPUs of one model; local has 2 of 2 NVIDIA L40S");
  });

  test("can ask for what is there, and for types of which one is there", async () => {
    for (const members of [{ gpuCount: 2 }, { gpuCount: 1, gpuTypeIds: ["NVIDIA A40", "rtx 4090", "t4"] }]) {
      const { status, json } = await machine.create(members);
      expect([status, json]).toEqual([200, expect.objectContaining(members)]);
    }
  });

  test("is refused when it gets a template whose workers would need too much", async () => {
    const { id } = (await machine.create({ gpuCount: 9, templateId: "" })).json;
    const moved = { templateId: machine.template };
    const { status, json } = await machine.server.call("PATCH", `/v1/endpoints/${id}`, moved);
    expect([status, json.code]).toEqual([400, "INVALID_FIELD"]);
    // Other members can be changed whatever the machine has.
    expect((await machine.server.call("PATCH", `/v1/endpoints/${id}`, { workersMax: 1 })).status).toBe(200);
  });
});

test("a machine whose GPUs cannot be read refuses nothing: the job waits, with the reason", async () => {
  const machine = await Machine.start(
    "echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18",
  );
  const members = { gpuCount: 9, gpuTypeIds: ["NVIDIA RTX 9"] };
  const { json } = await machine.create(members);
  await machine.server.run(json.id);
  const path = `/v1/endpoints/${json.id}`;
  const { reason } = await until("it waits for room", async () => {
    const { fleet } = (await machine.server.get(path)).json;
    return fleet.state === "NO_ROOM" && fleet;
  });
  expect(reason).toContain("local cannot list its GPUs (");
  await machine.stop();
});

/** A server on a machine where `nvidia-smi` is a script. */
class Machine {
  readonly server: TestServer;
  readonly template: string;
  readonly #end: () => Promise<void>;

  private constructor(server: TestServer, template: string, end: () => Promise<void>) {
    this.server = server;
    this.template = template;
    this.#end = end;
  }

  static async start(script: string): Promise<Machine> {
    const directory = await temporaryDirectory();
    const program = join(directory.path, "nvidia-smi");
    writeFileSync(program, `#!/bin/sh\n${script}\n`);
    chmodSync(program, 0o755);
    const path = process.env["PATH"] ?? "";
    process.env["PATH"] = `${directory.path}${delimiter}${path}`;
    const server = await TestServer.start();
    const template = { name: "hello", imageName: "process/hello" };
    const { id } = (await server.post("/v1/templates", template)).json;
    return new Machine(server, id, async () => {
      await server.stop();
      process.env["PATH"] = path;
      await directory[Symbol.asyncDispose]();
    });
  }

  create(members: Members) {
    const fields = { name: crypto.randomUUID(), templateId: this.template, workersMax: 1 };
    return this.server.post("/v1/endpoints", { ...fields, ...members });
  }

  stop(): Promise<void> {
    return this.#end();
  }
}
