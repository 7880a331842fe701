import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type EndToEndServer, startEndToEnd } from "../support/end-to-end-server.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { pythonProgram } from "../support/python.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const PAGE = readFileSync(join(import.meta.dir, "../../docs/write-a-python-worker.md"), "utf8");

/** The n-th block of the page in that language, from 0. */
function block(language: string, nth = 0): string {
  const blocks = [...PAGE.matchAll(/```(\w+)\n(.*?)```/gs)].filter(([, found]) => found === language);
  return blocks[nth]?.[2]?.trim() ?? "";
}

/** The line that starts one of many workers in a shell, with the `python` of PATH. */
function lineInShell(): string {
  const [line = ""] = /^env .* RUNPOD_POD_ID=.*$/m.exec(PAGE) ?? [];
  return line.replace(".venv/bin/", "");
}

describe("with the lines of docs/write-a-python-worker.md all workers of a shared token ping", () => {
  let server: EndToEndServer;
  beforeAll(async () => {
    server = await startEndToEnd();
  });
  afterAll(() => server.stop());

  /** Runs a line twice at once, as a shell, and waits until two workers have pinged by ids of their own. */
  async function expectTwoPing(line: string): Promise<void> {
    await using directory = await temporaryDirectory();
    const endpoint = await server.endpoint();
    const args = ["worker", "env", "--endpoint", endpoint, "--many"];
    const { env } = server;
    const admitted = await new ForebayCommand(args, { env }).ended();
    expect(admitted.stdout).not.toContain("RUNPOD_POD_ID=");
    await writeFile(join(directory.path, "worker.env"), admitted.stdout);
    await writeFile(join(directory.path, "worker.py"), block("python"));
    const path = `${dirname(pythonProgram())}:${process.env["PATH"]}`;
    const children = [0, 1].map((each) =>
      spawn("sh", ["-c", line], {
        cwd: directory.path,
        // Stands for the host name of a container.
        env: { PATH: path, HOME: directory.path, RUNPOD_SKIP_GPU_CHECK: "true", EACH: String(each) },
        detached: true,
        stdio: "ignore",
      }),
    );
    try {
      await until(
        "both workers have pinged",
        async () => {
          const { json } = await server.get(`/v1/endpoints/${endpoint}/workers`);
          return json.workers.filter((worker: { heartbeats: boolean }) => worker.heartbeats).length === 2;
        },
        30_000,
      );
    } finally {
      for (const { pid } of children) if (pid !== undefined) process.kill(-pid, "SIGKILL");
    }
  }

  test("in a shell", () => expectTwoPing(lineInShell()));

  test("in Compose", async () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- as the page has it
    const { services } = Bun.YAML.parse(block("yaml")) as any;
    const { env_file: file, entrypoint } = services.worker;
    expect(entrypoint.slice(0, 2)).toEqual(["sh", "-c"]);
    // Compose makes `$$` one `$`; each container has a host name of its own.
    const line = entrypoint[2].replaceAll("$$", "$").replace("$(hostname)", "container-$EACH");
    await expectTwoPing(`env $(cat ${file}) sh -c '${line}'`);
  });

  test("in Kubernetes the id is the name of the Pod", () => {
    // oxlint-disable-next-line typescript/no-explicit-any -- as the page has it
    const { containers } = Bun.YAML.parse(block("yaml", 1)) as any;
    expect(containers[0].env).toEqual([
      { name: "RUNPOD_POD_ID", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    ]);
  });

  test("worker env --many shows the same lines", async () => {
    const args = ["worker", "env", "--endpoint", await server.endpoint(), "--many"];
    const { env } = server;
    const { stderr } = await new ForebayCommand(args, { env }).ended();
    expect(stderr).toContain(lineInShell());
    const entrypoint = /entrypoint: .*/.exec(block("yaml"))?.[0];
    const variable = /env: .*/.exec(block("yaml", 1))?.[0];
    expect([entrypoint, variable].map((line) => line !== undefined && stderr.includes(line))).toEqual([
      true,
      true,
    ]);
  });
});
