import { z } from "zod";
import { JOB_STATES } from "../../../domain/transitions.ts";

/** What ids are made of. */
export const id = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

export const jobState = z
  .enum(JOB_STATES)
  .meta({ id: "JobState", description: "Where a job is in its life." });

export const count = z.int().min(0);

/** Milliseconds. */
export const span = z.int().min(0);

export const moment = z.iso.datetime().meta({ description: "UTC." });

export const nextCursor = z.string().min(1).meta({ description: "Left out on the last page." });

/** Any JSON; it passes byte for byte. */
export function anyJson(description: string) {
  return z.unknown().meta({ description });
}
