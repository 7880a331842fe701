import { describe, expect, test } from "bun:test";
import type { Template } from "../../src/domain/template.ts";
import { argvOf, refusalOf } from "../../src/fleet/process/process-command.ts";
import { StartFault } from "../../src/fleet/provider.ts";
import { templateOf } from "../support/template-of.ts";

const COMMANDS = new Map([
  ["fixed", ["/bin/echo", "one"]],
  ["open", ["/bin/echo", "--"]],
]);

const template = (fields: Partial<Template>): Template => templateOf("process/fixed", fields);

describe("what a template makes of a registered command", () => {
  test("the command as it was registered", () => {
    expect(argvOf(template({}), COMMANDS)).toEqual(["/bin/echo", "one"]);
  });

  test("its arguments behind --, each as it is, where the command ends so", () => {
    const words = ["-rf", "$(touch x)", "a b\nc", "; rm *", ""];
    const argv = argvOf(template({ imageName: "process/open", dockerStartCmd: words }), COMMANDS);
    expect(argv).toEqual(["/bin/echo", "--", ...words]);
  });

  test.each<[fields: Partial<Template>, sentence: string]>([
    [
      { imageName: "process/unknown" },
      "imageName: process/unknown is not a registered command. Use process/fixed, process/open.",
    ],
    [{ imageName: "process/" }, "imageName: process/ is not a registered command"],
    [{ imageName: "process/constructor" }, "imageName: process/constructor is not a registered command"],
    [{ imageName: "process/fixed:latest" }, "imageName: process/fixed:latest is not a registered command"],
    [{ imageName: "process/../bin/sh" }, "imageName: process/../bin/sh is not a registered command"],
    [{ imageName: "team/worker:1" }, "imageName: team/worker:1 is not a registered command"],
    [{ imageName: "--privileged" }, "imageName: --privileged is not a registered command"],
    [{ dockerEntrypoint: ["/bin/sh"] }, "dockerEntrypoint: the operator sets the program of process/fixed"],
    [{ dockerStartCmd: ["-c", "id"] }, "dockerStartCmd: process/fixed takes no arguments"],
    [{ env: { CUDA_VISIBLE_DEVICES: "0" } }, "env: Forebay sets CUDA_VISIBLE_DEVICES from gpuCount"],
    ...[
      "LD_PRELOAD",
      "LD_LIBRARY_PATH",
      "DYLD_INSERT_LIBRARIES",
      "NODE_OPTIONS",
      "BUN_OPTIONS",
      "PYTHONPATH",
      "PERL5OPT",
      "RUBYOPT",
      "JAVA_TOOL_OPTIONS",
      "BASH_ENV",
      "ENV",
      "IFS",
      "PATH",
      "HOME",
    ].map((name): [Partial<Template>, string] => [
      { env: { MODEL: "a", [name]: "x" } },
      `env: ${name} could make the program of process/fixed run other code`,
    ]),
  ])("refused: %j", (fields, sentence) => {
    expect(refusalOf(template(fields), COMMANDS)).toStartWith(sentence);
    expect(() => argvOf(template(fields), COMMANDS)).toThrow(StartFault);
  });

  test.each(["MODEL_NAME", "HF_TOKEN", "NODE_ENV", "PATHS", "OLD_PATH", "RUNPOD_DEBUG_LEVEL", "http_proxy"])(
    "%s is a variable that a template may set",
    (name) => {
      expect(refusalOf(template({ env: { [name]: "x" } }), COMMANDS)).toBeUndefined();
    },
  );
});
