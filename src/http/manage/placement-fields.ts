import { z } from "zod";
import { COMPUTE_TYPES } from "../../domain/placement.ts";
import { text } from "./text-fields.ts";

const NO_VOLUMES =
  "network volumes are not supported; set volumeInGb of the template to give the endpoint a volume";

/** Members of an endpoint that choose where a hosted service runs it (docs/decisions/0025). */
export const PLACEMENT_FIELDS = {
  dataCenterIds: wish(names()),
  cpuFlavorIds: wish(names()),
  instanceIds: wish(names()),
  allowedCudaVersions: wish(names()),
  minCudaVersion: wish(
    z.string().regex(/^([0-9]{1,4}\.[0-9]{1,4})?$/, "must be a version such as 12.4, or empty"),
  ),
  flashboot: wish(z.boolean()),
  // Clients send an empty text for "none".
  networkVolumeId: z.literal("", NO_VOLUMES).nullish(),
  networkVolumeIds: z.array(z.string()).max(0, NO_VOLUMES).nullish(),
};

/** Can only be set when the endpoint is created. */
export const COMPUTE_TYPE = { computeType: wish(z.enum(COMPUTE_TYPES)) };

/** Names that a hosted service understands. */
export function names() {
  return z.array(text(191, 1)).max(100);
}

function wish<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().meta({
    description: "Stored and answered for public clients; it has no effect here.",
  });
}
