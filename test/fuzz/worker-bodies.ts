import { type BodyRule, MB, type MemberRule, NO_ARRAYS, NO_INTEGERS, some } from "./body-rule.ts";
import { randomJson } from "./random-json.ts";

const listOf = (entry: string, wrongEntries: readonly string[]): MemberRule => ({
  valid: some("[]", `[${entry}]`, `[${entry},${entry}]`),
  wrong: [...NO_ARRAYS, "null", ...wrongEntries.map((wrong) => `[${wrong}]`)],
});

/** An entry of an exchange that speaks of a job that is not there. */
const ABSENT = '"id":"absent","attempt":1';
const NO_SUBJECTS = [
  "5",
  "null",
  '{"attempt":1}',
  '{"id":5,"attempt":1}',
  '{"id":"a"}',
  '{"id":"a","attempt":0}',
  '{"id":"a","attempt":1.5}',
  '{"id":"a","attempt":"1"}',
];

/** docs/worker-protocol.md, part 2. */
export const EXCHANGE: BodyRule = {
  refusal: "INVALID_FIELD",
  isOpen: true,
  refusesDoubles: false,
  limit: 32 * MB,
  members: {
    alive: listOf('"absent"', ["5", "null", "{}"]),
    chunks: listOf(`{${ABSENT},"output":[1e999]}`, NO_SUBJECTS),
    progress: listOf(`{${ABSENT},"value":null}`, [...NO_SUBJECTS, `{${ABSENT}}`]),
    results: listOf(`{${ABSENT},"error":{"a":1}}`, NO_SUBJECTS),
    take: { valid: some("0", "1", "3"), wrong: [...NO_INTEGERS, "null", "1001"] },
    wait: { valid: some("0", "1", "60000"), wrong: [...NO_INTEGERS, "null", "60001"] },
  },
};

/** A yield: any JSON. */
export const CHUNK: BodyRule = {
  refusal: "MALFORMED_JSON",
  isOpen: true,
  refusesDoubles: false,
  limit: 25 * MB,
  members: {
    output: { valid: (random) => randomJson(random), wrong: [] },
    metrics: { valid: (random) => randomJson(random), wrong: [] },
  },
};

/** A result, or progress: any JSON. */
export const RESULT: BodyRule = {
  refusal: "MALFORMED_JSON",
  isOpen: true,
  refusesDoubles: false,
  limit: 25 * MB,
  members: {
    output: { valid: (random) => randomJson(random), wrong: [] },
    error: { valid: some('"broken"', '""', "null", "0", '{"a":"😀"}'), wrong: [] },
    status: { valid: some('"IN_PROGRESS"', '"COMPLETED"', "5"), wrong: [] },
  },
};
