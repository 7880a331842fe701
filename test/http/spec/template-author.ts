import { expect } from "bun:test";
import type { Answer } from "../../support/answer.ts";
import { TestServer } from "../../support/test-server.ts";

/** What a member may be, what it may not be, and what it is when its author says nothing. */
export interface MemberRule {
  readonly taken: readonly unknown[];
  readonly refused: readonly unknown[];
  /** Undefined: it has no default, and is to be named. */
  readonly byDefault?: unknown;
}

/** Makes and changes templates of a server of its own. */
export class TemplateAuthor {
  readonly server: TestServer;
  /** Ids of registry logins of the account. */
  readonly logins: readonly string[];

  private constructor(server: TestServer, logins: readonly string[]) {
    this.server = server;
    this.logins = logins;
  }

  static async start(): Promise<TemplateAuthor> {
    const server = await TestServer.start();
    return new TemplateAuthor(server, [await server.registryLogin(), await server.registryLogin()]);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }

  /** A template by a new name; a member that is undefined is left out. */
  create(fields: Record<string, unknown> = {}): Promise<Answer> {
    const name = `t-${crypto.randomUUID()}`;
    return this.server.post("/v1/templates", { name, imageName: "team/worker:1", ...fields });
  }

  update(id: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.server.post(`/v1/templates/${id}/update`, fields);
  }

  patch(id: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    return this.server.call("PATCH", `/v1/templates/${id}`, fields);
  }

  /** Create holds to the rule, and takes null for the default as it takes nothing. */
  async expectCreated(member: string, { taken, refused, byDefault }: MemberRule): Promise<void> {
    for (const value of taken) {
      const { status, json } = await this.create({ [member]: value });
      expect([value, status, json[member]]).toEqual([value, 200, value]);
    }
    for (const value of refused) expectNamed(member, value, await this.create({ [member]: value }));
    for (const nothing of [undefined, null]) {
      const answer = await this.create({ [member]: nothing });
      if (byDefault === undefined) expectNamed(member, nothing, answer);
      else expect([answer.status, answer.json[member]]).toEqual([200, byDefault]);
    }
  }

  /**
   * Update, by POST and by PATCH, changes this member alone, takes null for the default, and changes nothing
   * when it refuses.
   */
  async expectUpdated(member: string, rule: MemberRule): Promise<void> {
    for (const way of ["update", "patch"] as const) await this.#expectChanged(way, member, rule);
  }

  async #expectChanged(way: "update" | "patch", member: string, rule: MemberRule): Promise<void> {
    const { taken, refused, byDefault } = rule;
    const change = (fields: Record<string, unknown> = {}) => this[way](before.id, fields);
    let { json: before } = await this.create({
      containerDiskInGb: 7,
      containerRegistryAuthId: this.logins[0],
      dockerEntrypoint: ["old"],
      dockerStartCmd: ["old"],
      env: { OLD: "1" },
      isPublic: true,
      ports: ["1/tcp"],
      readme: "old",
      volumeInGb: 7,
      volumeMountPath: "/old",
    });
    for (const value of [...(byDefault === undefined ? [] : [null]), ...taken]) {
      const { status, json } = await change({ [member]: value });
      expect([status, json]).toEqual([200, { ...before, [member]: value ?? byDefault }]);
      before = json;
    }
    for (const value of refused) expectNamed(member, value, await change({ [member]: value }));
    if (byDefault === undefined) expectNamed(member, null, await change({ [member]: null }));
    expect((await change()).json).toEqual(before);
    // A name is the next one's to take.
    await this.server.call("DELETE", `/v1/templates/${before.id}`);
  }
}

/** Refused, with the member in the sentence. */
function expectNamed(member: string, value: unknown, { status, json }: Answer): void {
  expect([value, status, json.code]).toEqual([value, 400, "INVALID_FIELD"]);
  expect(json.error).toStartWith(member);
}
