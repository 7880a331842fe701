import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type MemberRule, TemplateAuthor } from "./template-author.ts";
import { NEW_TEMPLATE } from "./template-record.ts";

const NOT_TEXT = [1, true, {}, []];
const NOT_GIGABYTES = [-1, 1.5, "50", 1e308, true];
const NOT_BOOLEAN = ["yes", 1, {}];
const NOT_WORDS = ["python", [1], [null], {}, ["a\0"]];

/** Both bodies hold their members to the same rules. */
const RULES = {
  imageName: {
    taken: ["team/worker:2", "registry.example.com:5000/a/b/c:1.0"],
    refused: ["", "--privileged", "a;rm -rf /", "a b", "a\nb", ...NOT_TEXT],
  },
  name: { taken: ["another name"], refused: ["", "a\0", "x".repeat(192), ...NOT_TEXT] },
  containerDiskInGb: { byDefault: 50, taken: [0, 1, 1_000], refused: NOT_GIGABYTES },
  dockerEntrypoint: { byDefault: [], taken: [["python", "-u"], []], refused: NOT_WORDS },
  dockerStartCmd: { byDefault: [], taken: [["handler.py"], []], refused: NOT_WORDS },
  env: {
    byDefault: {},
    taken: [{ A: "1", _b2: "é\n" }, {}],
    refused: [{ "A=B": "1" }, { "": "1" }, { A: 1 }, { A: null }, { A: "\0" }, [], "A=1"],
  },
  isPublic: { byDefault: false, taken: [false, true], refused: NOT_BOOLEAN },
  ports: {
    byDefault: [],
    taken: [["8888/http", "22/tcp"], ["1/http", "65535/tcp"], []],
    refused: [["80/udp"], ["0/http"], ["80/http", "65536/tcp"], ["80"], [80], ["http/80"], "80/http"],
  },
  readme: {
    byDefault: "",
    taken: ["# Title", "😀".repeat(131_072) + "x".repeat(131_072), ""],
    refused: ["x".repeat(262_145), "a\0", ...NOT_TEXT],
  },
  volumeInGb: { byDefault: 20, taken: [0, 1, 1_000], refused: NOT_GIGABYTES },
  volumeMountPath: {
    byDefault: "/workspace",
    taken: ["/data/models", "/workspace"],
    refused: ["workspace", "/", "", "/a/../etc", "/a:/b", ...NOT_TEXT],
  },
} satisfies Record<string, MemberRule>;

/** The account has made these logins, and no other. */
const loginRule = (): MemberRule => ({
  byDefault: "",
  taken: [...author.logins, ""],
  refused: ["absent", "x".repeat(129), ...NOT_TEXT],
});

let author: TemplateAuthor;
beforeAll(async () => {
  author = await TemplateAuthor.start();
});
afterAll(() => author.stop());

describe("spec 4.B, template management", () => {
  test("4.B base path, 4.B create, 9 rule 2: of name and image comes a record with all members", async () => {
    const fields = { name: "the smallest", imageName: "team/worker:1" };
    const { status, json } = await author.server.post("/v1/templates", fields);
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(String),
      ...fields,
      ...NEW_TEMPLATE,
    });
  });

  test("4.B update: the template of the path is changed, and its record answered", async () => {
    const { json } = await author.create();
    const path = `/v1/templates/${json.id}/update`;
    const { status, json: changed } = await author.server.post(path, { readme: "new", volumeInGb: 1 });
    expect([status, changed]).toEqual([200, { ...json, readme: "new", volumeInGb: 1 }]);
    expect(await author.update("nowhere", { readme: "new" })).toMatchObject({
      status: 404,
      json: { code: "TEMPLATE_NOT_FOUND" },
    });
  });
});

describe("spec 4.B.1, the body of create", () => {
  const rule = (member: string, rule: MemberRule): Promise<void> => author.expectCreated(member, rule);

  test("4.B.1 imageName: required, a reference to an image", () => rule("imageName", RULES.imageName));
  test("4.B.1 name: required, not empty", () => rule("name", RULES.name));
  test("4.B.1 category: one of three words, NVIDIA without it", () =>
    rule("category", {
      byDefault: "NVIDIA",
      taken: ["NVIDIA", "AMD", "CPU"],
      refused: ["INTEL", "nvidia", "", ...NOT_TEXT],
    }));
  test("4.B.1 containerDiskInGb: an integer, 50 without it", () =>
    rule("containerDiskInGb", RULES.containerDiskInGb));
  test("4.B.1 containerRegistryAuthId: a registry login of the account, none without it", () =>
    rule("containerRegistryAuthId", loginRule()));
  test("4.B.1 dockerEntrypoint: strings, none without it", () =>
    rule("dockerEntrypoint", RULES.dockerEntrypoint));
  test("4.B.1 dockerStartCmd: strings, none without it", () => rule("dockerStartCmd", RULES.dockerStartCmd));
  test("4.B.1 env: names and values, none without it", () => rule("env", RULES.env));
  test("4.B.1 isPublic: a boolean, false without it", () => rule("isPublic", RULES.isPublic));
  test("4.B.1 isServerless: a boolean, false without it", () =>
    rule("isServerless", { byDefault: false, taken: [true, false], refused: NOT_BOOLEAN }));
  test("4.B.1 ports: [port]/[http or tcp], none without it", () => rule("ports", RULES.ports));
  test("4.B.1 readme: a string, empty without it", () => rule("readme", RULES.readme));
  test("4.B.1 volumeInGb: an integer, 20 without it", () => rule("volumeInGb", RULES.volumeInGb));
  test("4.B.1 volumeMountPath: an absolute path, /workspace without it", () =>
    rule("volumeMountPath", RULES.volumeMountPath));
});

describe("spec 4.B.2, the body of update", () => {
  const rule = (member: string, rule: MemberRule): Promise<void> => author.expectUpdated(member, rule);

  test("4.B.2 all optional: nothing changes nothing, and several change together", async () => {
    const { json } = await author.create({ readme: "old", env: { A: "1" } });
    expect((await author.update(json.id, {})).json).toEqual(json);
    expect((await author.server.post(`/v1/templates/${json.id}/update`)).json).toEqual(json);
    const changes = { readme: "new", imageName: "team/worker:2", ports: ["80/http"] };
    expect((await author.update(json.id, changes)).json).toEqual({ ...json, ...changes });
  });

  test("4.B.2 containerDiskInGb: an integer; null puts 50 back", () =>
    rule("containerDiskInGb", RULES.containerDiskInGb));
  test("4.B.2 containerRegistryAuthId: a registry login of the account; null takes it away", () =>
    rule("containerRegistryAuthId", loginRule()));
  test("4.B.2 dockerEntrypoint: strings; null takes them away", () =>
    rule("dockerEntrypoint", RULES.dockerEntrypoint));
  test("4.B.2 dockerStartCmd: strings; null takes them away", () =>
    rule("dockerStartCmd", RULES.dockerStartCmd));
  test("4.B.2 env: names and values; null takes them away", () => rule("env", RULES.env));
  test("4.B.2 imageName: a reference to an image", () => rule("imageName", RULES.imageName));
  test("4.B.2 isPublic: a boolean; null puts false back", () => rule("isPublic", RULES.isPublic));
  test("4.B.2 name: not empty", () => rule("name", { ...RULES.name, taken: ["a third name"] }));
  test("4.B.2 ports: [port]/[http or tcp]; null takes them away", () => rule("ports", RULES.ports));
  test("4.B.2 readme: a string; null empties it", () => rule("readme", RULES.readme));
  test("4.B.2 volumeInGb: an integer; null puts 20 back", () => rule("volumeInGb", RULES.volumeInGb));
  test("4.B.2 volumeMountPath: an absolute path; null puts /workspace back", () =>
    rule("volumeMountPath", RULES.volumeMountPath));

  test("4.B.2 neither category nor isServerless: they and unknown members change nothing", async () => {
    const { json } = await author.create();
    for (const category of ["AMD", "nonsense"]) {
      for (const way of ["update", "patch"] as const) {
        const changed = await author[way](json.id, { category, isServerless: true, colour: "red" });
        expect([changed.status, changed.json]).toEqual([200, json]);
      }
    }
  });
});
