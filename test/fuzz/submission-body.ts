import type { SeededRandom } from "../crash/seeded-random.ts";
import {
  type BodyRule,
  type Members,
  NO_BOOLEANS,
  NO_INTEGERS,
  NO_OBJECTS,
  NO_TEXTS,
  objectText,
  some,
} from "./body-rule.ts";
import { randomObject } from "./random-json.ts";

function policy(random: SeededRandom): string {
  const members: Members = [];
  if (random.chance(0.5)) members.push(["ttl", random.pick(["10000", "604800000", "1e4", "null"])]);
  if (random.chance(0.5)) {
    members.push(["executionTimeout", random.pick(["5001", "600000", "1099511627776", "9007199254740991"])]);
  }
  if (random.chance(0.5)) members.push(["lowPriority", random.pick(["true", "false"])]);
  const tags = ["[]", '["a","b"]', '["😀","<b>","\\u0022"]'] as const;
  if (random.chance(0.3)) members.push(["tags", random.pick(tags)]);
  if (random.chance(0.2)) members.push(["__proto__", '{"ttl":1}']);
  return objectText(members);
}

/** Half of a character. */
const HALVES = ['{"a":"\\ud800"}', '{"\\uDC00\\ud800":1}', '{"a":["\\ud83d\\ud83d\\ude00"]}'];

const WRONG_POLICIES = [
  ...NO_OBJECTS,
  ...[...NO_INTEGERS, "9999", "604800001", "0", "2147483648.5"].map((value) => `{"ttl":${value}}`),
  ...[...NO_INTEGERS, "5000", "9007199254740992"].map((value) => `{"executionTimeout":${value}}`),
  ...NO_BOOLEANS.map((value) => `{"lowPriority":${value}}`),
  ...['"a"', "{}", "[1]", '[""]', '["a b"]', '["a","a"]', '["\\u202e"]'].map((value) => `{"tags":${value}}`),
  `{"tags":["${"x".repeat(65)}"]}`,
  '{"tags":["1","2","3","4","5","6","7","8","9"]}',
  '{"ttl":10000,"ttl":20000}',
];

/** docs/api.md, 2.1. */
export const submission = (limit: number): BodyRule => ({
  members: {
    input: {
      isRequired: true,
      valid: (random) => randomObject(random),
      wrong: [...NO_OBJECTS, "null", ...HALVES],
    },
    webhook: {
      valid: some('"http://a.invalid:8080/x"', '"https://u:p@b.invalid/é?a=b#c"', "null", '""'),
      wrong: [
        ...NO_TEXTS,
        '"x"',
        '"ftp://a.example/"',
        '"javascript:alert(1)"',
        '"http://"',
        '"http://127.0.0.1/x"',
        '"https://[::ffff:10.0.0.1]/"',
        '"http://2852039166/latest/meta-data"',
        `"http://a/${"x".repeat(8_192)}"`,
      ],
    },
    policy: { valid: (random) => (random.chance(0.1) ? "null" : policy(random)), wrong: WRONG_POLICIES },
    s3Config: {
      valid: some(
        "{}",
        "null",
        '{"accessId":"a","accessSecret":"😀","bucketName":"","endpointUrl":"x","more":[5]}',
      ),
      wrong: [
        ...NO_OBJECTS,
        '{"accessId":5}',
        '{"accessSecret":null}',
        '{"bucketName":[]}',
        '{"endpointUrl":{}}',
      ],
    },
  },
  refusal: "INVALID_FIELD",
  isOpen: true,
  refusesDoubles: true,
  limit,
});
