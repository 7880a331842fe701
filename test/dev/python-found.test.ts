import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { DevProject } from "../support/dev-process.ts";

/** Stands for a Python that has the package runpod, and says who it is when it runs a handler. */
const python = (name: string): string =>
  `#!/bin/sh\nif [ "$1" = -c ]; then exit 0; fi\necho "the handler runs on ${name}"\nexit 5\n`;
const WITHOUT = "#!/bin/sh\nexit 3\n";

describe("the Python of a handler", () => {
  let project: DevProject;
  beforeEach(() => {
    project = new DevProject({ "app/handler.py": "" });
  });
  afterEach(() => project.end());

  function environment(path: string, text: string): string {
    project.write(`${path}/bin/python3`, text);
    project.makeExecutable(`${path}/bin/python3`);
    return join(project.directory, path);
  }
  const dev = (env: Readonly<Record<string, string>> = {}, file = "app/handler.py") =>
    project.dev([file], { env: { VIRTUAL_ENV: "", ...env } }).exit;

  test("is that next to it, then that of the directory, the active one, and that of PATH", async () => {
    const active = environment("active", python("active"));
    const ranOn = async (name: string): Promise<void> => {
      const { stdout } = await dev({ VIRTUAL_ENV: active });
      expect(stdout).toContain(`the handler runs on ${name}\n`);
    };
    await ranOn("active");
    environment("venv", python("venv of the directory"));
    await ranOn("venv of the directory");
    environment("app/venv", python("venv beside"));
    await ranOn("venv beside");
    environment("app/.venv", python(".venv beside"));
    await ranOn(".venv beside");
  });

  test("of PATH is used if there is no environment", async () => {
    const bin = join(environment("own", python("PATH")), "bin");
    const { stdout } = await dev({ PATH: `${bin}:${process.env["PATH"]}` });
    expect(stdout).toContain("the handler runs on PATH\n");
  });

  test("without runpod gets the line that installs it", async () => {
    const bin = join(environment("own", WITHOUT), "bin");
    const onPath = await dev({ PATH: `${bin}:${process.env["PATH"]}` });
    const install = "python3 -m venv app/.venv && app/.venv/bin/pip install runpod";
    expect([onPath.code, onPath.stderr]).toEqual([
      2,
      `forebay dev: python3 does not have the package runpod. Install it: ${install}\n`,
    ]);

    environment("app/.venv", WITHOUT);
    const lacks = "forebay dev: app/.venv/bin/python3 does not have the package runpod. Install it: ";
    const withoutPip = await dev();
    expect([withoutPip.code, withoutPip.stderr]).toEqual([
      2,
      `${lacks}app/.venv/bin/python3 -m ensurepip && app/.venv/bin/python3 -m pip install runpod\n`,
    ]);
    project.write("app/.venv/bin/pip", "");
    expect((await dev()).stderr).toBe(`${lacks}app/.venv/bin/pip install runpod\n`);
  });

  test("that is not installed, or whose environment is broken, gets the line that repairs it", async () => {
    mkdirSync(join(project.directory, "bin"));
    const node = Bun.which("node") ?? "";
    symlinkSync(node, join(project.directory, "bin/node"));
    const none = await dev({ PATH: join(project.directory, "bin") });
    expect([none.code, none.stderr]).toEqual([
      2,
      "forebay dev: python3 is not installed. Install Python 3 " +
        "(Debian: sudo apt-get install python3 python3-venv).\n",
    ]);
    project.write("app/.venv/bin/python3", WITHOUT);
    const broken = await dev();
    expect([broken.code, broken.stderr]).toEqual([
      2,
      "forebay dev: app/.venv/bin/python3 cannot be run. " +
        "Create the environment again: python3 -m venv --clear app/.venv\n",
    ]);
  });
});
