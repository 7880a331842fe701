import { expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { ENDPOINT_DEFAULTS } from "../../src/domain/endpoint.ts";
import type { Finding } from "../../src/doctor/finding.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { TestServer } from "../support/test-server.ts";

test("endpoints that their names do not reach are reported, with how to rename them", async () => {
  const server = await TestServer.start();
  const plain = { account: DEFAULT_ACCOUNT.id, templateId: undefined, ...ENDPOINT_DEFAULTS, createdAt: 1 };
  for (const [id, name] of [
    ["old1", "templates"],
    ["old2", "old1"],
    ["old3", "chat"],
  ] as const) {
    await putRecord(server.forebay.engine, "endpoint", { ...plain, id, name });
  }
  const key = (await server.key("manage")).authorization.replace("Bearer ", "");
  const args = ["doctor", "--server", server.url, "--key", key, "--port", "0", "--json"];
  const { stdout } = await new ForebayCommand(args).ended();
  const { findings }: { findings: Finding[] } = JSON.parse(stdout);
  expect(findings.filter(({ says }) => says.includes("in paths"))).toEqual([
    {
      part: "server",
      state: "warn",
      says:
        "the name of endpoint templates (old1) does not work in paths: " +
        "its name is a reserved word: paths take its id alone",
      mend: "Rename it: forebay endpoints update old1 --name <name>.",
    },
    {
      part: "server",
      state: "warn",
      says:
        "the name of endpoint old1 (old2) does not work in paths: " +
        "its name is the id of another endpoint: paths take its own id alone",
      mend: "Rename it: forebay endpoints update old2 --name <name>.",
    },
  ]);
  await server.stop();
});
