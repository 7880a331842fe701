import { expect } from "bun:test";
import { ForebayCommand } from "./forebay-command.ts";
import type { TestClient } from "./test-client.ts";

interface Reset {
  readonly id: string;
  readonly key: string;
  readonly isCreated: boolean;
}

/** Runs `forebay keys reset-admin` on this data directory. */
export async function resetAdmin(data: string): Promise<Reset> {
  const args = ["keys", "reset-admin", "--data", data, "--json"];
  const { status, stdout, stderr } = await new ForebayCommand(args).ended();
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** A running server accepts the new key, which is an admin's, and the one before as well. */
export async function expectKeyReset(server: TestClient & { readonly printed: string[] }, data: string) {
  const [, lost = ""] = /admin key \(shown only now\): (\S+)/.exec(server.printed.join("\n")) ?? [];
  const { id, key, isCreated } = await resetAdmin(data);
  expect(isCreated).toBe(true);
  const listed = await server.get("/v1/keys", { authorization: key });
  expect(listed.json.keys).toContainEqual(expect.objectContaining({ id, scopes: ["admin"] }));
  expect((await server.get("/v1/accounts", { authorization: key })).status).toBe(200);
  expect((await server.get("/v1/accounts", { authorization: lost })).status).toBe(200);
}
