import { expect, test } from "bun:test";
import { containerGpuRefusal } from "../../src/fleet/gpu/gpu-variables.ts";
import { processEnvironment } from "../../src/fleet/process/process-command.ts";
import type { WorkerOrder } from "../../src/fleet/provider.ts";
import { templateOf } from "../support/template-of.ts";

const ORDER: WorkerOrder = {
  worker: "w",
  endpoint: "e",
  template: templateOf("process/a", { env: { CUDA_VISIBLE_DEVICES: "7" } }),
  environment: {},
};

test("a process gets its GPUs by UUID, whatever its template says", () => {
  const gpus = ["GPU-1", "GPU-2"].map((uuid) => ({ uuid, name: "NVIDIA L40S" }));
  expect(processEnvironment({ ...ORDER, gpus }, {})).toEqual({
    CUDA_VISIBLE_DEVICES: "GPU-1,GPU-2",
    CUDA_DEVICE_ORDER: "PCI_BUS_ID",
  });
});

test("a process without GPUs gets no variable of them", () => {
  const template = templateOf("process/a");
  expect(processEnvironment({ ...ORDER, template }, {})).toEqual({});
});

test("the template of a container cannot choose GPUs past the ledger", () => {
  expect(containerGpuRefusal({ NVIDIA_VISIBLE_DEVICES: "all" })).toBe(
    "env: NVIDIA_VISIBLE_DEVICES would select GPUs of other workers. Set gpuCount instead.",
  );
  // Within the container, this chooses among its own.
  expect(containerGpuRefusal({ CUDA_VISIBLE_DEVICES: "0" })).toBeUndefined();
});
