import * as fc from "fast-check";

/** JSON Schema, as far as the document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
}

type Named = Readonly<Record<string, Schema>>;

/**
 * Bodies for a schema: half of them as it says, or nearly so, with the ends of ranges; in the others one
 * value is of another kind, a member is missing, or one is there that nobody knows.
 */
export function randomBody(schema: Schema, named: Named): fc.Arbitrary<unknown> {
  const body = valueOf(schema, named);
  return fc.oneof(
    { weight: 3, arbitrary: body },
    {
      weight: 4,
      arbitrary: fc.tuple(body, fc.nat(), ODDITY).map(([value, at, odd]) => changed(value, at, odd)),
    },
    { weight: 1, arbitrary: ODDITY },
  );
}

/** What stands where something else was expected. */
const ODDITY: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, 1e300, "", "x", "5", "\0", [], {}, [null], { "": 0 }, "😀"),
  fc.integer({ min: -10, max: 10_000_000_000 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.jsonValue({ maxDepth: 2 }),
);

function valueOf(schema: Schema, named: Named): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return valueOf(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, named)));
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (typeof schema.type === "object") {
    return fc.oneof(...schema.type.map((type) => valueOf({ ...schema, type }, named)));
  }
  switch (schema.type ?? "any") {
    case "object":
      return objectOf(schema, named);
    case "array":
      return fc.array(valueOf(schema.items ?? {}, named), { minLength: schema.minItems ?? 0, maxLength: 4 });
    case "integer":
      return integerOf(schema);
    case "string":
      return textOf(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function objectOf(
  { properties = {}, required = [], propertyNames, additionalProperties }: Schema,
  named: Named,
) {
  if (propertyNames !== undefined && typeof additionalProperties === "object") {
    return fc.dictionary(textOf(propertyNames), valueOf(additionalProperties, named), { maxKeys: 3 });
  }
  const members = Object.entries(properties).map(([name, member]) => [name, valueOf(member, named)] as const);
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] });
}

function integerOf({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  const beside = [minimum - 1, minimum, maximum, maximum + 1];
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...beside) },
    { weight: 9, arbitrary: fc.integer({ min: minimum, max: maximum }) },
  );
}

/** Patterns that look ahead, and addresses, are not made from their rule. */
const SAMPLES = {
  path: [
    "/workspace",
    "/a b/é",
    "/",
    "/..",
    "/a/./b",
    "/...",
    "/a:b",
    "x",
    `/${"p".repeat(4_095)}`,
    "/p".repeat(9),
  ],
  address: ["http://127.0.0.1:8080/x", "https://example.com/é?a=b#c", "ftp://a.example/", "x"],
};

function textOf({ pattern, format, minLength = 0, maxLength }: Schema): fc.Arbitrary<string> {
  if (format === "iri") return fc.constantFrom(...SAMPLES.address);
  if (pattern?.includes("(?!") === true) return fc.constantFrom(...SAMPLES.path);
  if (pattern !== undefined && !pattern.includes("\\u0000")) return fc.stringMatching(new RegExp(pattern));
  const longest = maxLength ?? 50;
  const usual = fc.string({ unit: "binary", minLength, maxLength: Math.min(longest, 30) });
  // Characters are counted as Unicode does: these are two units each in the memory of JavaScript.
  const ends = fc.constantFrom("😀".repeat(longest), "x".repeat(longest), "x".repeat(longest + 1));
  return longest > 1_000 ? usual : fc.oneof({ weight: 8, arbitrary: usual }, { weight: 1, arbitrary: ends });
}

/** One value in it is another, or is gone; which, `at` says. */
function changed(value: unknown, at: number, odd: unknown): unknown {
  if (typeof value !== "object" || value === null) return odd;
  const copy: Record<string, unknown> = structuredClone(value) as Record<string, unknown>;
  const keys = Object.keys(copy);
  const key = keys[at % (keys.length + 1)];
  if (key === undefined) {
    if (Array.isArray(copy)) copy.push(odd);
    else copy["unknown"] = odd;
  } else if (at % 3 === 0 && !Array.isArray(copy)) delete copy[key];
  else copy[key] = at % 2 === 0 ? odd : changed(copy[key], Math.floor(at / 7), odd);
  return copy;
}
