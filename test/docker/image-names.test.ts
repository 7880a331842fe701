import { describe, expect, test } from "bun:test";
import { type Template, TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { MemoryLog } from "../support/memory-log.ts";
import { openProvider } from "./contract-on.ts";

describe("names of images on Docker", () => {
  const provider = openProvider({ socketPath: "/nowhere", deployment: "d1", log: new MemoryLog() });

  test.each(["Team/Worker:1", "a/B", "a:b:c", "a//b", "a@sha256:12"])(
    "refused: an image named %s",
    (imageName) => {
      const refusal = provider.refusal({ ...TEMPLATE_DEFAULTS, imageName } as unknown as Template);
      expect(refusal).toStartWith("imageName: ");
    },
  );
  test.each([
    "ubuntu",
    "ghcr.io/team/worker:1.2",
    "localhost:5000/a_b/c-d:x",
    `a/b@sha256:${"0".repeat(64)}`,
  ])("taken: an image named %s", (imageName) => {
    expect(provider.refusal({ ...TEMPLATE_DEFAULTS, imageName } as unknown as Template)).toBeUndefined();
  });
});
