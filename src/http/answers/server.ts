import { z } from "zod";
import { type DiskSpace, diskState } from "../../domain/disk-space.ts";
import { type Answered, count, type Shown } from "./members.ts";

/** The server itself (docs/api.md, 4.C; docs/operate.md). */
const disk = z.strictObject({
  state: z.enum(["ok", "low", "full"]),
  freeBytes: count,
  totalBytes: count,
});

export const READY = {
  schema: z.strictObject({ status: z.enum(["ok"]), disk: disk.optional() }),
  example: { status: "ok", disk: { state: "ok", freeBytes: 71_940_702_208, totalBytes: 105_089_261_568 } },
};

export const NOT_READY = {
  schema: z.strictObject({
    status: z.enum(["starting", "stopping", "no database"]),
    disk: disk.optional(),
  }),
  example: { status: "starting" },
};

export type ReadyAnswer = Answered<typeof READY.schema> | Answered<typeof NOT_READY.schema>;

export function presentDisk(space: DiskSpace): Shown<Answered<typeof disk>> {
  return { state: diskState(space), freeBytes: space.free, totalBytes: space.total };
}

export const HEALTHY = {
  schema: z.strictObject({ status: z.literal("ok"), time: z.iso.datetime() }),
  example: { status: "ok", time: "2026-11-22T09:30:00.123Z" },
};

export type HealthyAnswer = Answered<typeof HEALTHY.schema>;

export const ROTATED = {
  schema: z.strictObject({
    resealed: count.meta({ description: "How many secrets another key had made." }),
    previousKeyRemoved: z.boolean().meta({
      description: "Whether the server has removed the key before; otherwise it is yours to remove.",
    }),
  }),
  example: { resealed: 12, previousKeyRemoved: true },
};

export type RotatedAnswer = Answered<typeof ROTATED.schema>;
