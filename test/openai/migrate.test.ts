import { expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TEST_KEY } from "../support/test-client.ts";
import { TestServer } from "../support/test-server.ts";

setDefaultTimeout(60_000);

const PAGE = join(import.meta.dir, "../../docs/migrate.md");

/** What the program move.mjs of docs/migrate.md prints. The suite `snippets` runs the others on the page. */
async function move(env: Record<string, string>): Promise<string> {
  const [, program = ""] = /file=move\.mjs -->\n```js\n(.*?)```/s.exec(readFileSync(PAGE, "utf8")) ?? [];
  const directory = mkdtempSync(join(tmpdir(), "forebay-migrate-"));
  try {
    const file = join(directory, "move.mjs");
    writeFileSync(file, program);
    // In its own time: the servers in this process have to answer it.
    const child = spawn("node", [file], { env: { PATH: process.env["PATH"], ...env } });
    let output = "";
    let faults = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (output += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (faults += piece));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, code === 0 ? "" : faults]).toEqual([0, ""]);
    return output;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

test("docs/migrate.md copies all members of templates and endpoints to another server", async () => {
  const [from, to] = [await TestServer.start(), await TestServer.start()];
  try {
    const template = {
      name: "whisper",
      imageName: "team/whisper:1.2",
      env: { MODEL: "small" },
      ports: ["8888/http"],
      volumeInGb: 0,
      isServerless: true,
    };
    const { id } = (await from.post("/v1/templates", template)).json;
    const endpoint = { gpuCount: 2, workersMax: 7, idleTimeout: 60, executionTimeoutMs: 90_000 };
    const names = ["first", "second"];
    for (const name of names) await from.post("/v1/endpoints", { ...endpoint, name, templateId: id });
    const env = {
      FROM_URL: `${from.url}/sdk/v1`,
      FROM_KEY: TEST_KEY,
      TO_URL: `${to.url}/v1`,
      TO_KEY: TEST_KEY,
    };
    const lines = (await move(env)).trim().split("\n");
    const [copy, ...others] = (await to.get("/v1/templates")).json;
    expect([others, copy]).toEqual([[], expect.objectContaining(template)]);
    const copies = (await to.get("/v1/endpoints")).json;
    expect(copies.map(({ name }: { name: string }) => name).toSorted()).toEqual(names);
    for (const one of copies) expect(one).toMatchObject({ ...endpoint, templateId: copy.id });
    const old = (await from.get("/v1/endpoints")).json.map(({ id }: { id: string }) => id);
    expect(lines.map((line) => line.split(" is ")[0]).toSorted()).toEqual(old.toSorted());
  } finally {
    await Promise.all([from.stop(), to.stop()]);
  }
});
