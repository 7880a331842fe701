import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { OperatorFault } from "../../src/domain/operator-fault.ts";
import { createRegistryLogin } from "../../src/engine/records/registry-logins.ts";
import { refuseOtherKeys } from "../../src/engine/records/unopened-secrets.ts";
import { submit } from "../../src/engine/submit.ts";
import { TestEngine } from "../support/test-engine.ts";

const MISMATCH = "These are the keys of other data.";

describe("a server that starts with other keys", () => {
  let on: TestEngine;
  beforeEach(async () => {
    on = await TestEngine.start();
  });
  afterEach(() => on.stop());

  const start = () => refuseOtherKeys(on.engine, MISMATCH);
  const login = (name: string) =>
    createRegistryLogin(on.engine, DEFAULT_ACCOUNT.id, { name, username: "u", password: "p" });

  test("starts where no secret is stored", async () => {
    on.engine.secrets.use(["other"]);
    await start();
  });

  test("starts with the keys that have sealed what is stored", async () => {
    await login("a");
    await start();
    on.engine.secrets.use(["new", "test"]);
    await start();
  });

  test("is refused where its keys open no record", async () => {
    await login("a");
    on.engine.secrets.use(["other"]);
    await expect(start()).rejects.toThrow(new OperatorFault(MISMATCH));
  });

  test("is refused where its keys open no webhook of a job", async () => {
    await submit(on.engine, {
      endpoint: on.endpoint,
      kind: "run",
      body: new TextEncoder().encode(`{"input":{}}`),
      s3Config: undefined,
      webhook: new TextEncoder().encode(`"http://203.0.113.1/"`),
      policy: {},
      retention: 0,
      idempotency: undefined,
    });
    await start();
    on.engine.secrets.use(["other"]);
    await expect(start()).rejects.toThrow(new OperatorFault(MISMATCH));
  });

  test("is warned where its keys open some of the secrets", async () => {
    await login("a");
    await login("b");
    on.engine.secrets.use(["other"]);
    await login("c");
    await start();
    const fields = { opened: 1, unopened: 2 };
    const message = "some secrets do not open with the keys of this server";
    expect(on.log.entries).toContainEqual({ level: "warn", message, fields });
  });
});
