import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { DEFAULT_ACCOUNT } from "../../src/domain/account.ts";
import { TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createEndpoint } from "../../src/engine/records/endpoints.ts";
import { endpointOf } from "../../src/engine/records/find-endpoint.ts";
import { ensureRelease, rollBack } from "../../src/engine/records/releases.ts";
import { releaseMembersIn } from "../../src/engine/records/stored-release.ts";
import { createTemplate, updateTemplate } from "../../src/engine/records/templates.ts";
import { TestEngine } from "../support/test-engine.ts";
import { gateBefore } from "./in-order.ts";

describe("races of releases", () => {
  let t: TestEngine;
  let other: Engine;
  let template: string;
  let endpoint: string;
  beforeEach(async () => {
    t = await TestEngine.start();
    // A second server on the same data, whose copy of the configuration is its own.
    const store = { ...t.engine.store };
    const randomFill = (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes);
    other = await createEngine({ ...t.engine, store, server: "other", keepKeys: undefined, randomFill });
    const fields = { ...TEMPLATE_DEFAULTS, name: "t", imageName: "process/a" };
    ({ id: template } = await createTemplate(t.engine, DEFAULT_ACCOUNT.id, fields));
    ({ id: endpoint } = await createEndpoint(t.engine, DEFAULT_ACCOUNT.id, {
      name: "e",
      templateId: template,
    }));
  });
  afterEach(() => t.stop());

  const update = (engine: Engine, A: string) =>
    updateTemplate(engine, DEFAULT_ACCOUNT.id, template, { env: { A } });

  /** What each release starts workers with, the newest first, as either server has it. */
  async function versions(): Promise<(string | undefined)[]> {
    for (const engine of [t.engine, other]) {
      await engine.configuration.refresh();
      await ensureRelease(engine, endpoint);
    }
    await t.engine.configuration.refresh();
    const [here, there] = [t.engine, other].map((engine) => {
      const releases = engine.configuration.releases(endpoint);
      return releases.map((release) => releaseMembersIn(engine, release).env["A"]);
    });
    expect(here).toEqual(there);
    return here ?? [];
  }

  /** An update of the first server whose release is made, but not yet written. */
  async function heldRelease() {
    const gate = gateBefore(t.engine.store);
    const updated = update(t.engine, "1");
    await gate.waits("put");
    gate.pass("put");
    await gate.waits("put");
    await other.configuration.refresh();
    return { gate, updated };
  }

  test("R30, release first: an update that follows is the next release", async () => {
    const { gate, updated } = await heldRelease();
    gate.open();
    await updated;
    await update(other, "2");
    expect(await versions()).toEqual(["2", "1", undefined]);
  });

  test("R30, update first: a release of what the template no longer says is not written", async () => {
    const { gate, updated } = await heldRelease();
    await update(other, "2");
    gate.open();
    await updated;
    expect(await versions()).toEqual(["2", undefined]);
  });

  test("R30: a release that a dead server did not write is written by another one, once", async () => {
    const { gate, updated } = await heldRelease();
    expect((await ensureRelease(other, endpoint))?.number).toBe(2);
    gate.open();
    await updated;
    expect(await versions()).toEqual(["1", undefined]);
  });

  /** A roll back of the first server to version 1 that is not yet written. */
  async function heldRollBack() {
    await update(t.engine, "1");
    await other.configuration.refresh();
    const gate = gateBefore(t.engine.store);
    const back = rollBack(t.engine, endpointOf(t.engine, DEFAULT_ACCOUNT.id, endpoint), 1);
    await gate.waits("put");
    return { gate, back };
  }

  test("R30, roll back first: a later update wins", async () => {
    const { gate, back } = await heldRollBack();
    gate.open();
    expect((await back).number).toBe(3);
    await update(other, "2");
    expect(await versions()).toEqual(["2", undefined, "1", undefined]);
  });

  test("R30, update before a roll back first: the roll back follows it, and wins", async () => {
    const { gate, back } = await heldRollBack();
    await update(other, "2");
    gate.open();
    expect((await back).number).toBe(4);
    expect(await versions()).toEqual([undefined, "2", "1", undefined]);
  });
});
