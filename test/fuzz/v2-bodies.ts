import {
  type BodyRule,
  type MemberRule,
  NO_ARRAYS,
  NO_BOOLEANS,
  NO_INTEGERS,
  NO_OBJECTS,
  NO_TEXTS,
  some,
} from "./body-rule.ts";
import { managed, NEW_REGISTRY_LOGIN, NEW_TEMPLATE } from "./management-bodies.ts";

const { name, imageName: image, ports, env } = NEW_TEMPLATE.members as Record<string, MemberRule>;

/** The same without null, which v2 does not take. */
function withoutNull(rule: MemberRule | undefined, valid: MemberRule["valid"]): MemberRule {
  return { valid, wrong: [...(rule?.wrong ?? []), "null"] };
}

const CONTAINER = {
  image: { valid: some('"worker"', '"a/b@sha256:00ff"'), wrong: image?.wrong ?? [] },
  args: { valid: some('""', `"python -c 'a b'"`, `"it\\"s 'not closed"`), wrong: [...NO_TEXTS, '"\\u0000"'] },
  disk: { valid: some("0", "50"), wrong: [...NO_INTEGERS, "1000001", "null"] },
  env: withoutNull(env, some("{}", '{"A":"","_b9":"😀"}')),
  ports: withoutNull(ports, some("[]", '["80/http","65535/tcp"]')),
  registry: { valid: some('""', "null"), wrong: [...NO_TEXTS, '"absent"'] },
} satisfies Record<string, MemberRule>;

const TEMPLATE_MEMBERS = {
  ...CONTAINER,
  mounts: {
    valid: some("{}", '{"persistent":{"size":10,"path":"/a"}}'),
    wrong: [...NO_OBJECTS, "null", '{"network":[]}', '{"persistent":{"size":1}}', '{"persistent":{}}'],
  },
  public: { valid: some("true", "false"), wrong: [...NO_BOOLEANS, "null"] },
  serverless: { valid: some("true", "false"), wrong: [...NO_BOOLEANS, "null"] },
  startSsh: { valid: some("true", "false"), wrong: [...NO_BOOLEANS, "null"] },
  allowedCudaVersions: { valid: some("[]", '["12.4"]'), wrong: [...NO_ARRAYS, "null", '["12"]'] },
  category: { valid: some('"CPU"', '"NVIDIA"'), wrong: [...NO_TEXTS, '"TPU"', "null"] },
} satisfies Record<string, MemberRule>;

const NAME: MemberRule = { valid: name?.valid ?? some('"a"'), wrong: name?.wrong ?? [] };

/** docs/migrate.md, the management API v2. */
export const NEW_V2_TEMPLATE: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    ...TEMPLATE_MEMBERS,
    name: { ...NAME, isRequired: true },
    image: { ...CONTAINER.image, isRequired: true },
  },
};

export const V2_TEMPLATE_UPDATE: BodyRule = { ...managed, isOpen: false, members: TEMPLATE_MEMBERS };

export const NEW_V2_REGISTRY: BodyRule = NEW_REGISTRY_LOGIN;

const SCALING: MemberRule = {
  valid: some('{"type":"QUEUE_DELAY","queueDelay":4}', '{"type":"REQUEST_COUNT","requestCount":1}'),
  wrong: [
    ...NO_OBJECTS,
    "null",
    "{}",
    '{"type":"QUEUE_DELAY"}',
    '{"type":"QUEUE_DELAY","requestCount":1}',
    '{"type":"queue_delay","queueDelay":4}',
    '{"type":"QUEUE_DELAY","queueDelay":0.5}',
  ],
};

const SETTINGS = {
  scaling: SCALING,
  dataCenterIds: { valid: some("[]", '["US-TX-1"]'), wrong: [...NO_ARRAYS, "null", "[5]", '[""]'] },
  networkVolumes: { valid: some("[]"), wrong: [...NO_ARRAYS, "null", '["vol-1"]'] },
  timeout: { valid: some("600000"), wrong: [...NO_INTEGERS, "null", "5000"] },
  flashboot: { valid: some('"OFF"', '"FLASHBOOT"'), wrong: [...NO_TEXTS, "null", '"ON"'] },
  env: CONTAINER.env,
} satisfies Record<string, MemberRule>;

export const NEW_V2_ENDPOINT: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    ...CONTAINER,
    ...SETTINGS,
    name: { ...NAME, isRequired: true },
    image: { ...CONTAINER.image, isRequired: true },
    type: { valid: some('"QUEUE"'), wrong: [...NO_TEXTS, "null", '"LOAD_BALANCER"'], isRequired: true },
    scaling: { ...SCALING, isRequired: true },
    gpu: {
      valid: some('{"pools":["ANY"]}', '{"pools":["NVIDIA L40S"],"count":2,"excludedTypes":[]}'),
      wrong: [...NO_OBJECTS, "null", "{}", '{"pools":[]}', '{"pools":["a"],"excludedTypes":["b"]}'],
    },
    workers: {
      valid: some("{}", '{"min":0,"max":0}', '{"idleTimeout":3600}'),
      wrong: [...NO_OBJECTS, "null", '{"min":-1}', '{"max":10001}', '{"count":1}'],
    },
  },
};

/** What changes nothing for the workers that others have. */
export const V2_ENDPOINT_UPDATE: BodyRule = { ...managed, isOpen: false, members: SETTINGS };
