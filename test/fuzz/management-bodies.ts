import type { SeededRandom } from "../crash/seeded-random.ts";
import { TEST_KEY } from "../support/test-client.ts";
import {
  type BodyRule,
  MB,
  type MemberRule,
  NO_ARRAYS,
  NO_BOOLEANS,
  NO_INTEGERS,
  NO_OBJECTS,
  NO_TEXTS,
  some,
} from "./body-rule.ts";

const LONG_TEXT = `"${"n".repeat(192)}"`;

/** Names that differ, in the scripts of the world. */
function freshName(random: SeededRandom): string {
  const dress = random.pick([
    "",
    "é",
    "😀",
    "\\u0001",
    "\\ud800",
    " ",
    "' or 1=1--",
    "__proto__",
    "名前",
    "\u202e",
  ]);
  return `"${dress}${crypto.randomUUID()}"`;
}

const gigabytes: MemberRule = {
  valid: some("0", "1", "1000000", "null", "50.0"),
  wrong: [...NO_INTEGERS, "1000001", "1e308"],
};
const words: MemberRule = {
  valid: some("[]", "null", '["a","-b","c d","$(id)"]'),
  wrong: [...NO_ARRAYS, "[5]", "[null]", '["\\u0000"]'],
};
const flag: MemberRule = { valid: some("true", "false", "null"), wrong: NO_BOOLEANS };
const text: MemberRule = { valid: some('""', '"# é 😀"', "null"), wrong: [...NO_TEXTS, '"\\u0000"'] };

const NAME: MemberRule = { valid: freshName, wrong: [...NO_TEXTS, "null", '""', LONG_TEXT] };

const ENVIRONMENT: MemberRule = {
  valid: some("{}", "null", '{"A":"","_b9":"😀","LONG":"=="}'),
  wrong: [...NO_OBJECTS, '{"A=B":"x"}', '{"":"x"}', '{"A":5}', '{"A":null}', '{"A":"\\u0000"}', '{"9":"x"}'],
};

/** docs/api.md, 2.8 and 4.B. */
const TEMPLATE_MEMBERS = {
  name: { ...NAME, wrong: [...NAME.wrong, '"\\u0000"'] },
  imageName: {
    valid: some('"worker"', '"registry.example.com:5000/team/worker:1.2"', '"a/b@sha256:00ff"'),
    wrong: [
      ...NO_TEXTS,
      "null",
      '""',
      '"--privileged"',
      '"a;rm -rf /"',
      '"a\\nb"',
      '"a b"',
      '"process/absent"',
    ],
  },
  containerDiskInGb: gigabytes,
  containerRegistryAuthId: { valid: some('""', "null"), wrong: [...NO_TEXTS, '"\\u0000"', '"absent"'] },
  dockerEntrypoint: words,
  dockerStartCmd: words,
  env: ENVIRONMENT,
  isPublic: flag,
  isPlatform: flag,
  ports: {
    valid: some("[]", "null", '["80/http","65535/tcp"]'),
    wrong: [...NO_ARRAYS, '["80/udp"]', '["0/http"]', '["70000/tcp"]', '["80"]', "[80]", '["-1/tcp"]'],
  },
  readme: { ...text, wrong: [...text.wrong, `"${"r".repeat(262_145)}"`] },
  volumeInGb: gigabytes,
  volumeMountPath: {
    valid: some('"/a"', '"/a b/é"', "null"),
    wrong: [...NO_TEXTS, '""', '"x"', '"/"', '"/a:/b"', '"/a/../b"', '"/./a"', '"/\\u0000"'],
  },
} satisfies Record<string, MemberRule>;

export const managed = { refusal: "INVALID_FIELD", refusesDoubles: false, limit: MB } as const;

const amount: MemberRule = { valid: some("0", "0.0"), wrong: [...NO_INTEGERS, "10001"] };

export const NEW_TEMPLATE: BodyRule = {
  ...managed,
  isOpen: true,
  members: {
    ...TEMPLATE_MEMBERS,
    name: { ...TEMPLATE_MEMBERS.name, isRequired: true },
    imageName: { ...TEMPLATE_MEMBERS.imageName, isRequired: true },
    category: { valid: some('"CPU"', '"AMD"', '"NVIDIA"', "null"), wrong: [...NO_TEXTS, '"TPU"', '"cpu"'] },
    isServerless: flag,
  },
};

const secret: MemberRule = {
  valid: some('"s"', '"é 😀\\u0001"', `"${"s".repeat(1_024)}"`),
  wrong: [...NO_TEXTS, "null", '""', '"\\u0000"'],
  isRequired: true,
};

export const NEW_REGISTRY_LOGIN: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    name: { ...TEMPLATE_MEMBERS.name, isRequired: true },
    username: { ...secret, wrong: [...secret.wrong, '"a:b"', `"${"u".repeat(1_025)}"`] },
    password: { ...secret, wrong: [...secret.wrong, `"${"p".repeat(65_537)}"`] },
  },
};

export const TEMPLATE_UPDATE: BodyRule = { ...managed, isOpen: true, members: TEMPLATE_MEMBERS };

const NAMES: MemberRule = {
  valid: some("[]", "null", '["US-TX-1","é 😀"]'),
  wrong: [...NO_ARRAYS, "[5]", '[""]', "[null]", '["\\u0000"]', `[${LONG_TEXT}]`],
};

const ENDPOINT_MEMBERS = {
  env: ENVIRONMENT,
  gpuCount: { valid: some("1", "128", "null"), wrong: [...NO_INTEGERS, "0", "129"] },
  gpuTypeIds: NAMES,
  vcpuCount: { valid: some("1", "1024", "null"), wrong: [...NO_INTEGERS, "0", "1025"] },
  shmSizeInMb: { valid: some("1", "1048576", "null"), wrong: [...NO_INTEGERS, "0", "1048577"] },
  dataCenterIds: NAMES,
  cpuFlavorIds: NAMES,
  instanceIds: NAMES,
  allowedCudaVersions: NAMES,
  minCudaVersion: {
    valid: some('""', '"12.4"', "null"),
    wrong: [...NO_TEXTS, '"12"', '"12.4.1"', '"v12.4"'],
  },
  flashboot: flag,
  networkVolumeId: { valid: some('""', "null"), wrong: [...NO_TEXTS, '"vol-1"'] },
  networkVolumeIds: { valid: some("[]", "null"), wrong: [...NO_ARRAYS, '["vol-1"]'] },
  idleTimeout: { valid: some("1", "3600"), wrong: [...NO_INTEGERS, "0", "3601"] },
  scalerType: {
    valid: some('"QUEUE_DELAY"', '"REQUEST_COUNT"', "null"),
    wrong: [...NO_TEXTS, '"queue_delay"', '""'],
  },
  historyInputs: { valid: some('"none"', '"all"', "null"), wrong: [...NO_TEXTS, '"ALL"', '""'] },
  scalerValue: { valid: some("1", "1000000", "null"), wrong: [...NO_INTEGERS, "0", "1000001"] },
  releaseSurge: { valid: some("0", "3", "null"), wrong: [...NO_INTEGERS, "10001"] },
  releasePace: { valid: some("1", "10000", "null"), wrong: [...NO_INTEGERS, "0", "10001"] },
  isPaused: { valid: some("false", "null"), wrong: NO_BOOLEANS },
  executionTimeoutMs: { valid: some("600000", "null"), wrong: [...NO_INTEGERS, "5000"] },
  ttlMs: { valid: some("86400000", "604800000", "null"), wrong: [...NO_INTEGERS, "9999", "604800001"] },
  runRetentionMs: { valid: some("1800000", "604800000", "null"), wrong: [...NO_INTEGERS, "0"] },
  runsyncRetentionMs: { valid: some("1800000", "null"), wrong: [...NO_INTEGERS, "0"] },
  webhookRetries: { valid: some("0", "2", "30", "null"), wrong: [...NO_INTEGERS, "-1", "31"] },
  webhookHeaders: {
    valid: some("{}", "null", '{"Authorization":"Bearer x","X-A":"b c"}'),
    wrong: [...NO_OBJECTS, '{"Host":"x"}', '{"a b":"x"}', '{"a":5}', '{"a":"\\r\\n"}', '{"a":"x","A":"y"}'],
  },
  maxQueuedJobs: { valid: some("1000", "5000", "null"), wrong: [...NO_INTEGERS, "0"] },
} as const;

export const NEW_ENDPOINT: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    name: { ...NAME, isAlwaysSent: true },
    templateId: {
      valid: (_random, world) => JSON.stringify(world.templates[0]),
      wrong: NO_TEXTS,
    },
    hostLabel: { valid: some("null"), wrong: [...NO_TEXTS, '""', '"a b"', `"${"l".repeat(64)}"`] },
    workersMin: amount,
    workersMax: { valid: some("0", "1", "10000"), wrong: amount.wrong },
    ...ENDPOINT_MEMBERS,
    computeType: { valid: some('"GPU"', '"CPU"', "null"), wrong: [...NO_TEXTS, '"TPU"', '"gpu"'] },
  },
};

export const ENDPOINT_UPDATE: BodyRule = { ...managed, isOpen: false, members: ENDPOINT_MEMBERS };

const UNIQUE_NAME: MemberRule = {
  ...NAME,
  wrong: [...NAME.wrong, '"\\u0000"'],
  isRequired: true,
};

export const NEW_ACCOUNT: BodyRule = { ...managed, isOpen: false, members: { name: UNIQUE_NAME } };

export const NEW_KEY: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    name: UNIQUE_NAME,
    scopes: {
      valid: some('["read"]', '["write","read","write"]', '["manage"]'),
      wrong: [...NO_ARRAYS, "null", "[]", "[5]", '["root"]', '["Read"]', '["__proto__"]'],
      isRequired: true,
    },
    endpoints: {
      valid: (random, world) => JSON.stringify([world.kept(random).id]),
      wrong: [...NO_ARRAYS, "[]", "[5]", "[null]"],
    },
    account: { valid: some('"default"', "null"), wrong: NO_TEXTS },
  },
};

export const ROTATION: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    overlapMs: { valid: some("0", "1000", "2592000000"), wrong: [...NO_INTEGERS, "null", "2592000001"] },
  },
};

export const SIGN_IN: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    key: {
      valid: some(JSON.stringify(TEST_KEY), '"nobody\'s"'),
      wrong: [...NO_TEXTS, "null", '""'],
      isRequired: true,
    },
  },
};

export const PAUSE_RELEASE: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    isPaused: {
      valid: some("true", "false"),
      wrong: [...NO_BOOLEANS, "null"],
      isRequired: true,
    },
    startsNow: { valid: some("true"), wrong: [...NO_BOOLEANS, "null", "false"] },
  },
};

export const ROLL_BACK: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    version: {
      valid: some("1", "2", "9007199254740991"),
      wrong: [...NO_INTEGERS, "null", "0", "9007199254740992"],
      isRequired: true,
    },
  },
};

/** An object without a member, or no body at all. */
export const NOTHING: BodyRule = { ...managed, isOpen: false, members: {} };

const time: MemberRule = {
  valid: some('"2026-01-31T12:00:00Z"', '"2026-01-31T12:00:00.123+05:30"', '"1970-01-01T00:00:00Z"'),
  wrong: [...NO_TEXTS, "null", '""', '"yesterday"', '"2026-01-31"', '"2026-02-30T12:00:00Z"'],
  isRequired: true,
};

export const REDELIVERY: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    from: time,
    to: time,
    status: { valid: some('"FAILED"', '"DELIVERED"'), wrong: [...NO_TEXTS, "null", '""', '"ALL"'] },
  },
};

export const NEW_WORKER: BodyRule = {
  ...managed,
  isOpen: false,
  members: { many: { valid: some("true", "false"), wrong: [...NO_BOOLEANS, "null"] } },
};
