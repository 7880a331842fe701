import type { Handler, Job } from "./handler.ts";
import { Answer, isFailure, isYielding } from "./result.ts";

interface Schemas {
  readonly input: StandardSchema | undefined;
  readonly output: StandardSchema | undefined;
}

/**
 * The handler with its schemas. If the input of a job is invalid, the job fails and the handler is not
 * called. Otherwise it gets the input as the schema returns it. Its output, or each yield, must be valid too,
 * and is sent as the schema returns it. Failures are not checked.
 */
export function checkedHandler(handler: Handler, { input, output }: Schemas): Handler {
  if (input === undefined && output === undefined) return handler;
  return async (job, context) => {
    const checked = input === undefined ? job.input : await check("input", input, job.input);
    if (checked instanceof Mismatch) return checked.failure;
    // The schema defines what the handler accepts.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const returned = await handler({ ...job, input: checked as Job["input"] }, context);
    if (output === undefined) return returned;
    return isYielding(returned) ? checkYields(output, returned) : checkAnswer(output, Answer.of(returned));
  };
}

async function checkAnswer(schema: StandardSchema, { value, wantsRefresh }: Answer): Promise<Answer> {
  return new Answer(await checkOutput(schema, value), wantsRefresh);
}

async function* checkYields(
  schema: StandardSchema,
  yields: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator {
  for await (const value of yields) yield await checkOutput(schema, value);
}

async function checkOutput(schema: StandardSchema, value: unknown): Promise<unknown> {
  if (isFailure(value)) return value;
  const checked = await check("output", schema, value);
  return checked instanceof Mismatch ? checked.failure : checked;
}

async function check(name: "input" | "output", schema: StandardSchema, value: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? result.value : new Mismatch(name, result.issues);
}

class Mismatch {
  readonly failure: { readonly error: string };

  constructor(name: string, issues: readonly SchemaIssue[]) {
    const faults = issues.map(({ path = [], message }) => `${name}${path.map(stepOf).join("")}: ${message}`);
    this.failure = { error: `The ${name} does not match its schema. ${faults.join("; ")}` };
  }
}

type PathStep = NonNullable<SchemaIssue["path"]>[number];

function stepOf(step: PathStep): string {
  const key = typeof step === "object" ? step.key : step;
  return typeof key === "number" ? `[${key}]` : `.${String(key)}`;
}

/**
 * A schema of any library that implements Standard Schema, such as Zod, Valibot and ArkType. This is the part
 * of its types that is used here; copying it is intended (https://standardschema.dev).
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

type SchemaResult<Output> =
  { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
