import { z } from "zod";
import type { Job } from "../../domain/job.ts";
import { MAX_TAGS, resubmittedFrom, submittedTags } from "../../domain/tags.ts";
import { JOB_STATES } from "../../domain/transitions.ts";

/** The type of an answer: what its schema describes, read-only. */
export type Answered<Schema extends z.ZodType> = ReadOnly<z.output<Schema>>;

type ReadOnly<Value> = Value extends object
  ? { readonly [Name in keyof Value]: ReadOnly<Value[Name]> }
  : Value;

/** What a presenter returns. An optional member may be undefined, but the presenter must name it. */
export type Shown<Answer> = { readonly [Name in keyof Required<Answer>]: Answer[Name] };

/** The form of ids. */
export const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

export const jobState = z
  .enum(JOB_STATES)
  .meta({ id: "JobState", description: "Where a job is in its life." });

export const count = z.int().min(0);

/** Milliseconds. */
export const span = z.int().min(0);

export const moment = z.iso.datetime().meta({ description: "UTC." });

/** A time, ms since 1970, as a `moment`. */
export function dateText(ms: number): string;
/** The same; undefined if there is none. */
export function dateText(ms: number | undefined): string | undefined;
export function dateText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** What a call sets without an effect. */
export const warnings = z
  .array(z.strictObject({ field: z.string(), message: z.string() }))
  .min(1)
  .optional()
  .meta({
    description: "Members of the body that have no effect, each with the reason. Absent if all have.",
  });

export type Warning = NonNullable<Answered<typeof warnings>>[number];

export const tags = z
  .array(z.string())
  .min(1)
  .max(MAX_TAGS)
  .optional()
  .meta({ description: "As the submission named them. Left out if it named none." });

export function presentTags(given: readonly string[]): readonly string[] | undefined {
  const named = submittedTags(given);
  return named.length === 0 ? undefined : named;
}

/** The job that this one was made from. */
export const origin = z
  .strictObject({ endpoint: id.meta({ description: "The id of the endpoint of both." }), id })
  .optional()
  .meta({ description: "The job that this one was resubmitted from. Left out for any other job." });

export function presentOrigin({ endpoint, tags: given }: Pick<Job, "endpoint" | "tags">) {
  const from = resubmittedFrom(given);
  return from === undefined ? undefined : { endpoint, id: from };
}

export const nextCursor = z.string().min(1).meta({ description: "Left out on the last page." });

/** Any JSON, which is passed on byte for byte. */
export function anyJson(description: string) {
  return z.unknown().meta({ description });
}
