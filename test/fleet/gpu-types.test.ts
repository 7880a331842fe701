import { describe, expect, test } from "bun:test";
import { isKnownType, isOfType } from "../../src/fleet/gpu/gpu-types.ts";

describe("a type of gpuTypeIds", () => {
  test.each([
    ["NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"],
    ["NVIDIA A100 80GB PCIe", "NVIDIA A100 80GB PCIe"],
    ["NVIDIA H100 80GB HBM3", "H100 SXM"],
    ["NVIDIA L40S", "nvidia l40s"],
    ["NVIDIA L40S", "L40S"],
    ["NVIDIA GeForce RTX 4090", "RTX 4090"],
    // Drivers before 470 print no vendor, some say NVIDIA instead of Tesla, and some public names are odd.
    ["GeForce RTX 3090", "NVIDIA GeForce RTX 3090"],
    ["NVIDIA T4", "Tesla T4"],
    ["NVIDIA RTX A4500", "NVIDIA  RTX A4500"],
    ["NVIDIA GeForce RTX 3080 Ti", "NVIDIA GeForce RTX 3080TI"],
    ["NVIDIA RTX 5000 Ada Generation", "NVIDIA A5000 Ada"],
    ["NVIDIA RTX A2000 12GB", "NVIDIA RTX A2000"],
    ["NVIDIA A100-SXM4-80GB MIG 1g.10gb", "NVIDIA A100-SXM4-80GB MIG 1g.10gb"],
    ["NVIDIA A100-SXM4-80GB MIG 1g.10gb+me", "A100 SXM mig 1g.10gb+me"],
  ])("the driver's %s is %s", (model, type) => {
    expect(isOfType(model, type)).toBe(true);
  });

  test.each([
    ["NVIDIA L40", "NVIDIA L40S"],
    ["NVIDIA GeForce RTX 4080 SUPER", "NVIDIA GeForce RTX 4080"],
    ["Quadro RTX 6000", "NVIDIA RTX 6000 Ada Generation"],
    ["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"],
    ["NVIDIA RTX A2000", "NVIDIA RTX A2000 12GB"],
    ["NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-80GB MIG 1g.10gb"],
    ["NVIDIA A100-SXM4-80GB MIG 1g.10gb", "NVIDIA A100-SXM4-80GB"],
    ["NVIDIA A100-SXM4-80GB MIG 2g.20gb", "NVIDIA A100-SXM4-80GB MIG 1g.10gb"],
  ])("the driver's %s is not %s", (model, type) => {
    expect(isOfType(model, type)).toBe(false);
  });

  test.each([
    ["NVIDIA GeForce RTX 4090", true],
    ["rtx 6000 ada", true],
    ["A100 SXM MIG 3g.40gb", true],
    ["NVIDIA GeForce RTX 9999", false],
    ["ADA_24", false],
    ["", false],
    ["NVIDIA", false],
  ])("%s is known: %p", (type, isKnown) => {
    expect(isKnownType(type)).toBe(isKnown);
  });
});
