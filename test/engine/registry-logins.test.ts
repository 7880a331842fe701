import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { registryOf } from "../../src/domain/template.ts";
import { putRecord } from "../../src/engine/records/put-record.ts";
import { createRegistryLogin, credentialsOf } from "../../src/engine/records/registry-logins.ts";
import { resealRecords } from "../../src/engine/records/reseal-records.ts";
import { TestEngine } from "../support/test-engine.ts";

describe("registry logins are stored sealed", () => {
  let on: TestEngine;
  beforeEach(async () => {
    on = await TestEngine.start();
  });
  afterEach(() => on.stop());

  test("T8: username and password are sealed, open as they were, and outlive a new key", async () => {
    const { engine } = on;
    const credentials = { username: "üser", password: "p/+?ss \"'\n" };
    const { id } = await createRegistryLogin(engine, DEFAULT_ACCOUNT.id, { name: "a", ...credentials });
    const body = () => JSON.stringify(engine.configuration.get("registryLogin", id));
    expect(body()).not.toMatch(/üser|p\/\+/);
    expect(credentialsOf(engine, id)).toEqual(credentials);
    const before = body();
    engine.secrets.use(["new", "test"]);
    expect(await resealRecords(engine)).toBe(1);
    expect(body()).not.toBe(before);
    engine.secrets.use(["new"]);
    expect(credentialsOf(engine, id)).toEqual(credentials);
    expect(credentialsOf(engine, "absent")).toBeUndefined();
  });

  test("T4: sealed for one login, it opens as no other", async () => {
    const { engine } = on;
    const given = { username: "u", password: "p" };
    const [one, two] = await Promise.all(
      ["a", "b"].map((name) => createRegistryLogin(engine, DEFAULT_ACCOUNT.id, { name, ...given })),
    );
    const stored = engine.configuration.get("registryLogin", one?.id ?? "");
    const other = engine.configuration.get("registryLogin", two?.id ?? "");
    if (stored === undefined || other === undefined) throw new Error("there are two logins");
    await putRecord(engine, "registryLogin", { ...other, sealed: stored.sealed });
    expect(() => credentialsOf(engine, other.id)).toThrow();
  });

  test.each([
    ["ubuntu", "docker.io"],
    ["team/worker:1", "docker.io"],
    ["ghcr.io/team/worker:1.2", "ghcr.io"],
    ["registry:5000/a", "registry:5000"],
    ["localhost/a", "localhost"],
    ["ubuntu:22.04", "docker.io"],
    ["a.b@sha256:00", "docker.io"],
  ])("the registry of %s is %s", (image, registry) => expect(registryOf(image)).toBe(registry));
});
