import { describe, expect, test } from "bun:test";
import { loadConfig } from "../../src/config/config.ts";
import { declaredGpus } from "../../src/fleet/gpu/declared-gpus.ts";

const CARD = "GPU-5c89852c-d268-c3f3-1b07-005d5ae1dc3f";
const SLICE = "MIG-a686709d-6dc2-542a-8851-0d2508448c10";

describe("the GPUs that the operator declares", () => {
  test("have a UUID, a model, and maybe their memory", () => {
    const slice = "NVIDIA A100-SXM4-40GB MIG 3g.20gb";
    expect(declaredGpus(`${CARD}=NVIDIA L40S:46068, ${SLICE}=${slice}`)).toEqual({
      devices: [
        { uuid: CARD, card: CARD, index: 0, name: "NVIDIA L40S", memoryMb: 46_068, kind: "card" },
        { uuid: SLICE, card: SLICE, index: 1, name: slice, memoryMb: undefined, kind: "slice" },
      ],
      outOfUse: [],
      fault: undefined,
    });
    expect(declaredGpus("none")?.devices).toEqual([]);
  });

  test.each([
    "",
    "0=NVIDIA L40S",
    CARD,
    `${CARD}=`,
    `${CARD}=A40:much`,
    `${CARD}=A40,${CARD}=A40`,
    `${CARD}=A40,`,
  ])("are not %p", (text) => {
    expect(declaredGpus(text)).toBeUndefined();
    if (text === "") return;
    const load = () => loadConfig({ "docker-gpus": text }, {});
    expect(load).toThrow("--docker-gpus: expected none, or GPUs like");
  });
});
