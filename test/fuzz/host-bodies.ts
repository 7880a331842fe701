import { type BodyRule, NO_ARRAYS, NO_BOOLEANS, NO_OBJECTS, NO_TEXTS, some } from "./body-rule.ts";
import { managed } from "./management-bodies.ts";

const LABELS = {
  valid: some("[]", '["eu","gpu-a_1.x"]'),
  wrong: [...NO_ARRAYS, "null", "[5]", '["a b"]', '[""]', '["eu","eu"]', `["${"l".repeat(64)}"]`],
};

export const NEW_HOST: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    name: {
      valid: some('"gpu-1"', '"__proto__"', `"${"n".repeat(63)}"`),
      wrong: [...NO_TEXTS, "null", '""', '"a b"', '"../x"', `"${"n".repeat(64)}"`],
      isRequired: true,
    },
    address: {
      valid: some('"unix:///nowhere/docker.sock"', '"tcp://127.0.0.1:1"'),
      wrong: [...NO_TEXTS, "null", '""', '"http://a"', '"\\u0000"'],
      isRequired: true,
    },
    certificates: {
      valid: some('{"ca":"a","cert":"b","key":"c"}'),
      wrong: [...NO_OBJECTS, "null", "{}", '{"ca":"a","cert":"b"}'],
    },
    gpus: {
      valid: some("[]", '[{"uuid":"GPU-1","name":"NVIDIA L40S","memoryInMb":46068}]'),
      wrong: [...NO_ARRAYS, "null", "[5]", '[{"uuid":"x","name":"a"}]', '[{"uuid":"GPU-1"}]'],
    },
    labels: LABELS,
  },
};

export const HOST_CHANGES: BodyRule = {
  ...managed,
  isOpen: false,
  members: {
    // A host that drains starts no workers, which others wait for.
    isDraining: { valid: some("false"), wrong: [...NO_BOOLEANS, "null"] },
    labels: LABELS,
  },
};
