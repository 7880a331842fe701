import { describe, expect, test } from "bun:test";
import { covers, type Scope, SCOPES } from "../../src/domain/scope.ts";
import { seededRandom, type SeededRandom } from "../crash/seeded-random.ts";
import type { Answer } from "../support/answer.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { TestServer } from "../support/test-server.ts";
import { SEED } from "../support/seed.ts";

const SEQUENCES = 10;
const STEPS = 150;

interface Key {
  readonly id: string;
  readonly account: string;
  readonly scope: Scope;
  /** The only endpoint it opens; undefined: all of its account. */
  readonly endpoint: string | undefined;
  /** Everything that it ever was, and until when that opens. */
  readonly texts: { readonly text: string; until: number }[];
  isGone: boolean;
}

interface Owned {
  readonly id: string;
  readonly account: string;
  isGone: boolean;
  isPublic: boolean;
}

/** A call, what it must be answered when its key is good, and what there is then. */
interface Act {
  readonly call: readonly [method: string, path: string, body?: object];
  readonly expected: string;
  readonly done?: (answer: Answer) => void;
}

/** What three accounts have, as the answers told it. */
class Tenants {
  readonly #server: TestServer;
  readonly #clock: ManualClock;
  readonly #random: SeededRandom;
  readonly #accounts: string[] = [];
  readonly #keys: Key[] = [];
  readonly #endpoints: Owned[] = [];
  readonly #templates: Owned[] = [];

  constructor(server: TestServer, clock: ManualClock, random: SeededRandom) {
    this.#server = server;
    this.#clock = clock;
    this.#random = random;
  }

  async populate(): Promise<void> {
    this.#accounts.push("default", await this.#server.account(), await this.#server.account());
    for (const account of this.#accounts) {
      for (const scope of ["manage", "admin"] as const) {
        const { json } = await this.#server.post("/v1/keys", { name: unique(), scopes: [scope], account });
        this.#adopt(json, { account, scope, endpoint: undefined });
      }
    }
  }

  /** One call with any key that there is or was. */
  async step(): Promise<string> {
    const key = this.#pick(this.#keys);
    const { text } = this.#pick(key.texts);
    if (this.#random.chance(0.3)) await this.#clock.advance(this.#random.integer(1, 3_000));
    const isGood = key.texts.some((each) => each.text === text && each.until > this.#clock.now());
    const { call, expected, done } = this.#act(key);
    const authorization = this.#random.pick([text, `Bearer ${text}`, `bEARER ${text}`]);
    const [method, path, body] = call;
    const answer = await this.#server.call(method, path, body, { authorization });
    const found = answer.json?.code ?? String(answer.status);
    const wanted = isGood ? expected : "KEY_UNKNOWN";
    const { account, scope, endpoint } = key;
    const said = { call, account, scope, endpoint };
    expect({ ...said, found }).toEqual({ ...said, found: wanted });
    if (answer.status < 300) done?.(answer);
    return wanted;
  }

  #act(key: Key): Act {
    return this.#random.pick([
      () => this.#createKey(key),
      () => this.#endKey(key),
      () => this.#rotateKey(key),
      () => this.#createEndpoint(key),
      () => this.#onEndpoint(key, "manage", ({ id }) => ["DELETE", `/v1/endpoints/${id}`], "204"),
      () => this.#onEndpoint(key, "manage", ({ id }) => ["GET", `/v1/endpoints/${id}`], "200"),
      () => this.#onEndpoint(key, "read", ({ id }) => ["GET", `/v2/${id}/health`], "200"),
      () => this.#onEndpoint(key, "write", ({ id }) => ["POST", `/v2/${id}/run`, {}], "INVALID_FIELD"),
      () => this.#createTemplate(key),
      () => this.#readTemplate(key),
      () => this.#changeTemplate(key),
    ])();
  }

  #createKey(key: Key): Act {
    const account = this.#random.chance(0.7) ? key.account : this.#pick(this.#accounts);
    const scope = this.#random.pick(SCOPES);
    const owned = this.#endpoints.filter((each) => each.account === account && !each.isGone);
    const isBound = scope !== "admin" && scope !== "metrics" && owned.length > 0 && this.#random.chance(0.3);
    const endpoint = isBound ? this.#pick(owned).id : undefined;
    const endpoints = endpoint === undefined ? null : [endpoint];
    const mayMake = this.#may(key, "manage") && covers([key.scope], scope);
    return {
      call: ["POST", "/v1/keys", { name: unique(), scopes: [scope], account, endpoints }],
      expected: mayMake && (account === key.account || key.scope === "admin") ? "200" : "KEY_NOT_ALLOWED",
      done: ({ json }) => this.#adopt(json, { account, scope, endpoint }),
    };
  }

  #endKey(key: Key): Act {
    const other = this.#pick(this.#keys);
    return {
      call: ["DELETE", `/v1/keys/${other.id}`],
      expected: this.#onKey(key, other, "204"),
      done: () => {
        other.isGone = true;
        for (const each of other.texts) each.until = 0;
      },
    };
  }

  #rotateKey(key: Key): Act {
    const other = this.#pick(this.#keys);
    const overlapMs = this.#random.pick([0, 1_000, 5_000]);
    return {
      call: ["POST", `/v1/keys/${other.id}/rotate`, { overlapMs }],
      expected: this.#onKey(key, other, "200"),
      done: ({ json }) => {
        for (const each of other.texts) {
          each.until = each.until === Infinity ? this.#clock.now() + overlapMs : 0;
        }
        other.texts.push({ text: json.key, until: Infinity });
      },
    };
  }

  #onKey(key: Key, other: Key, allowed: string): string {
    if (!this.#may(key, "manage")) return "KEY_NOT_ALLOWED";
    const isSeen = !other.isGone && (other.account === key.account || key.scope === "admin");
    if (!isSeen) return "KEY_NOT_FOUND";
    return covers([key.scope], other.scope) ? allowed : "KEY_NOT_ALLOWED";
  }

  #createEndpoint(key: Key): Act {
    const template = this.#random.chance(0.5) ? this.#any(this.#templates) : undefined;
    const isUsable = template === undefined || this.#sees(key, template);
    return {
      call: ["POST", "/v1/endpoints", { name: unique(), templateId: template?.id ?? null }],
      expected: this.#may(key, "manage") ? (isUsable ? "200" : "TEMPLATE_NOT_FOUND") : "KEY_NOT_ALLOWED",
      done: ({ json }) => this.#endpoints.push(owned(json.id, key)),
    };
  }

  #onEndpoint(key: Key, scope: Scope, callOf: (endpoint: Owned) => Act["call"], allowed: string): Act {
    const endpoint = this.#any(this.#endpoints) ?? owned("absent", { account: "nobody" });
    const isOpen = key.endpoint === undefined || key.endpoint === endpoint.id;
    const isThere = !endpoint.isGone && endpoint.account === key.account && isOpen;
    const call = callOf(endpoint);
    const answered = isThere ? allowed : "ENDPOINT_NOT_FOUND";
    return {
      call,
      expected: covers([key.scope], scope) ? answered : "KEY_NOT_ALLOWED",
      done: () => {
        if (call[0] === "DELETE") endpoint.isGone = true;
      },
    };
  }

  #createTemplate(key: Key): Act {
    const isPublic = this.#random.chance(0.5);
    return {
      call: ["POST", "/v1/templates", { name: unique(), imageName: "a", isPublic }],
      expected: this.#may(key, "manage") ? "200" : "KEY_NOT_ALLOWED",
      done: ({ json }) => this.#templates.push({ ...owned(json.id, key), isPublic }),
    };
  }

  #readTemplate(key: Key): Act {
    const template = this.#any(this.#templates) ?? owned("absent", { account: "nobody" });
    const answered = this.#sees(key, template) ? "200" : "TEMPLATE_NOT_FOUND";
    return {
      call: ["GET", `/v1/templates/${template.id}`],
      expected: this.#may(key, "manage") ? answered : "KEY_NOT_ALLOWED",
    };
  }

  #changeTemplate(key: Key): Act {
    const template = this.#any(this.#templates) ?? owned("absent", { account: "nobody" });
    const isPublic = this.#random.chance(0.5);
    const answered = template.account === key.account ? "200" : "TEMPLATE_NOT_FOUND";
    return {
      call: ["POST", `/v1/templates/${template.id}/update`, { isPublic }],
      expected: this.#may(key, "manage") ? answered : "KEY_NOT_ALLOWED",
      done: () => void (template.isPublic = isPublic),
    };
  }

  /** On paths that name no endpoint. */
  #may({ scope, endpoint }: Key, needed: Scope): boolean {
    return endpoint === undefined && covers([scope], needed);
  }

  #sees({ account }: Key, template: Owned): boolean {
    return template.account === account || template.isPublic;
  }

  #adopt({ id, key: text }: Answer["json"], access: Pick<Key, "account" | "scope" | "endpoint">): void {
    this.#keys.push({ id, ...access, texts: [{ text, until: Infinity }], isGone: false });
  }

  #pick<Value>(values: readonly Value[]): Value {
    const value = this.#any(values);
    if (value === undefined) throw new Error("there is nothing to pick from");
    return value;
  }

  #any<Value>(values: readonly Value[]): Value | undefined {
    return values[this.#random.integer(0, values.length - 1)];
  }
}

function owned(id: string, { account }: { account: string }): Owned {
  return { id, account, isGone: false, isPublic: false };
}

function unique(): string {
  return crypto.randomUUID();
}

describe(`S18: random sequences of calls of three accounts (SEED=${SEED})`, () => {
  const seen = new Set<string>();

  test.each(Array.from({ length: SEQUENCES }, (_, index) => [index]))(
    `sequence %p: every one of ${STEPS} calls is answered as its key and what there is demand`,
    async (index) => {
      const clock = new ManualClock();
      const server = await TestServer.start({ clock });
      const tenants = new Tenants(server, clock, seededRandom(`${SEED}/${index}`));
      await tenants.populate();
      for (let step = 0; step < STEPS; step++) seen.add(await tenants.step());
      await server.stop();
    },
    30_000,
  );

  test("they came upon every kind of answer", () => {
    const kinds = ["200", "204", "INVALID_FIELD", "KEY_UNKNOWN", "KEY_NOT_ALLOWED"];
    const absent = ["KEY_NOT_FOUND", "ENDPOINT_NOT_FOUND", "TEMPLATE_NOT_FOUND"];
    expect([...seen].toSorted()).toEqual([...kinds, ...absent].toSorted());
  });
});
