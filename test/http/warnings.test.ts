import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { TestServer } from "../support/test-server.ts";

type Members = Readonly<Record<string, unknown>>;

/** Members of an endpoint that change nothing, whatever else it has. */
const STORED_ONLY: Members = {
  dataCenterIds: ["EU-RO-1"],
  cpuFlavorIds: ["cpu3c"],
  instanceIds: ["cpu3c-2-4"],
  allowedCudaVersions: ["12.8"],
  minCudaVersion: "12.4",
  flashboot: true,
};

/** Values of the same members that ask for nothing: public clients send them for "none". */
const NONE: Members = {
  dataCenterIds: [],
  cpuFlavorIds: [],
  instanceIds: null,
  allowedCudaVersions: [],
  minCudaVersion: "",
  flashboot: false,
};

describe.each(["/v1", "/sdk/v1"])("warnings of the management API (%s)", (base) => {
  let server: TestServer;
  let command: string;
  beforeAll(async () => {
    server = await TestServer.start();
    command = (await template({ imageName: "process/hello" })).id;
  });
  afterAll(() => server.stop());

  const template = async (fields: Members) =>
    (await server.post(`${base}/templates`, { name: crypto.randomUUID(), ...fields })).json;
  const endpoint = async (fields: Members) =>
    (await server.post(`${base}/endpoints`, { name: crypto.randomUUID(), ...fields })).json;

  test("name members of an endpoint without effect, at its creation and at each change", async () => {
    const made = await endpoint({ ...STORED_ONLY, computeType: "CPU", workersMax: 5 });
    expect(fieldsOf(made)).toEqual([...Object.keys(STORED_ONLY), "computeType"].toSorted());
    const { warnings, ...record } = made;
    expect((await server.get(`${base}/endpoints/${made.id}`)).json).toEqual(record);
    const path = `${base}/endpoints/${made.id}`;
    for (const [field, value] of Object.entries(STORED_ONLY)) {
      for (const { json } of [
        await server.call("PATCH", path, { [field]: value, workersMax: 4 }),
        await server.post(`${path}/update`, { [field]: value }),
      ]) {
        expect(json.warnings).toEqual([
          { field, message: expect.stringMatching(/^It has no effect\. .+\.$/) },
        ]);
      }
    }
    const message = "It has no effect. Workers run on the machines of this deployment.";
    expect(warnings).toContainEqual({ field: "dataCenterIds", message });
  });

  test("are absent where every member has an effect, or asks for nothing", async () => {
    const made = await endpoint({ ...NONE, computeType: "GPU", workersMax: 5, env: { A: "1" } });
    expect(made.warnings).toBeUndefined();
    const path = `${base}/endpoints/${made.id}`;
    expect((await server.call("PATCH", path, NONE)).json.warnings).toBeUndefined();
    const plain = await template({ imageName: "team/worker:1", category: "NVIDIA", ports: ["80/http"] });
    expect(plain.warnings).toBeUndefined();
    expect((await template({ imageName: "process/hello", volumeInGb: 0 })).warnings).toBeUndefined();
  });

  test("name members about machines if Forebay starts no workers, or a command ignores them", async () => {
    const machine = { gpuCount: 2, gpuTypeIds: ["NVIDIA A40"], vcpuCount: 2, shmSizeInMb: 64 };
    const external = await endpoint(machine);
    expect(fieldsOf(external)).toEqual(["gpuCount", "gpuTypeIds", "shmSizeInMb", "vcpuCount"]);
    expect(external.warnings[0].message).toBe(
      "It has no effect. Forebay starts no workers for this endpoint.",
    );
    const process = await endpoint({ templateId: command, shmSizeInMb: 64, env: { A: "1" } });
    const message = "It has no effect on a registered command.";
    expect(process.warnings).toEqual([{ field: "shmSizeInMb", message }]);
    const path = `${base}/endpoints/${process.id}`;
    const { json } = await server.call("PATCH", path, { vcpuCount: 1 });
    expect(json).toMatchObject({
      version: process.version,
      warnings: [
        { field: "vcpuCount", message: expect.stringContaining("Start the server with --process-") },
      ],
    });
  });

  test("name the members of a template that have no effect", async () => {
    const container = { imageName: "team/worker:1", containerDiskInGb: 7, ports: ["80/http"] };
    expect(fieldsOf(await template({ ...container, category: "CPU", isServerless: true }))).toEqual([
      "category",
      "isServerless",
    ]);
    const process = await template({ ...container, imageName: "process/hello", volumeInGb: 3 });
    expect(fieldsOf(process)).toEqual(["containerDiskInGb", "ports", "volumeInGb"]);
    const path = `${base}/templates/${process.id}`;
    const { json } = await server.call("PATCH", path, { volumeMountPath: "/data", readme: "new" });
    expect(fieldsOf(json)).toEqual(["volumeMountPath"]);
    expect((await server.get(path)).json.warnings).toBeUndefined();
  });
});

function fieldsOf({ warnings }: { readonly warnings: readonly { readonly field: string }[] }): string[] {
  return warnings.map(({ field }) => field).toSorted();
}
