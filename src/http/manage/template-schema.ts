import { z } from "zod";
import { TEMPLATE_CATEGORIES, TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import { environment, recordName, text } from "./text-fields.ts";

const MAX_README = 262_144;

/** An image reference (distribution/reference) or `process/<command>`: no leading dash, space or quotes. */
export const imageName = z
  .string()
  .max(512)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._-]*(:[0-9]+)?(\/[a-zA-Z0-9._-]+)*(:[\w.-]{1,128})?(@[a-z0-9+]+:[a-fA-F0-9]+)?$/,
    {
      message: "must be an image reference, such as registry.example.com/team/worker:1.2",
    },
  );

export const gigabytes = z.int().min(0, "must not be negative").max(1_000_000);

/** A command has at most so many words. */
export const MOST_WORDS = 1_000;

const words = z.array(text(65_536)).max(MOST_WORDS);

/** 1 to 65535. */
const PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";

export const port = z.string().regex(new RegExp(`^(${PORT})/(http|tcp)$`), {
  message: "must be a port and a protocol, such as 8888/http or 22/tcp",
});

/**
 * At most 4,096 characters. No part is empty, `.` or `..`, and it is not a directory of the container's
 * system or of its engine (threat T3).
 */
export const mountPath = z.string().regex(
  // oxlint-disable-next-line no-control-regex -- NUL is what it is about
  /^(?!\/(proc|sys|dev|etc|run|var\/run)(\/|$))(?![^\u0000]*\/\.{0,2}(\/|$))\/[^\u0000:]{1,4095}$/u,
  "must be an absolute path without a colon, outside system directories such as /proc",
);

/** Null and a missing member mean the default (design, row 20). */
function orDefault<Schema extends z.ZodType>(schema: Schema, byDefault: z.output<Schema>) {
  return documented(schema.nullish(), byDefault).transform((value): z.output<Schema> => value ?? byDefault);
}

/** In an update a missing member stays as it is, and null restores its default. */
function orUnchanged<Schema extends z.ZodType>(schema: Schema, byDefault: z.output<Schema>) {
  return documented(schema.nullish(), byDefault).transform((value): z.output<Schema> | undefined =>
    value === null ? byDefault : value,
  );
}

/** Documents the default without setting it: an update leaves out what it does not change. */
function documented<Schema extends z.ZodType>(schema: Schema, byDefault: unknown): Schema {
  return schema.meta({ default: byDefault });
}

const members = {
  containerDiskInGb: gigabytes,
  containerRegistryAuthId: text(128),
  dockerEntrypoint: words,
  dockerStartCmd: words,
  env: environment,
  isPublic: z.boolean(),
  ports: z.array(port).max(1_000),
  readme: text(MAX_README),
  volumeInGb: gigabytes,
  volumeMountPath: mountPath,
};

const defaults = TEMPLATE_DEFAULTS;

/** Spec 4.B.1. Unknown members, and those that the author cannot set, are ignored. */
export const CREATE_TEMPLATE = z.object({
  name: recordName,
  imageName,
  category: orDefault(z.enum(TEMPLATE_CATEGORIES), defaults.category),
  isServerless: orDefault(z.boolean(), defaults.isServerless),
  containerDiskInGb: orDefault(members.containerDiskInGb, defaults.containerDiskInGb),
  containerRegistryAuthId: orDefault(members.containerRegistryAuthId, defaults.containerRegistryAuthId),
  dockerEntrypoint: orDefault(members.dockerEntrypoint, []),
  dockerStartCmd: orDefault(members.dockerStartCmd, []),
  env: orDefault(members.env, {}),
  isPublic: orDefault(members.isPublic, defaults.isPublic),
  ports: orDefault(members.ports, []),
  readme: orDefault(members.readme, defaults.readme),
  volumeInGb: orDefault(members.volumeInGb, defaults.volumeInGb),
  volumeMountPath: orDefault(members.volumeMountPath, defaults.volumeMountPath),
});

/** Members that only the operator sets. They are ignored for others, as all members that they cannot set. */
const OPERATORS = { isPlatform: z.boolean().nullish() };

export const CREATE_TEMPLATE_OF_OPERATOR = CREATE_TEMPLATE.extend(OPERATORS);

/** Spec 4.B.2: no category and no isServerless. */
export const UPDATE_TEMPLATE = z.object({
  name: recordName.optional(),
  imageName: imageName.optional(),
  containerDiskInGb: orUnchanged(members.containerDiskInGb, defaults.containerDiskInGb),
  containerRegistryAuthId: orUnchanged(members.containerRegistryAuthId, defaults.containerRegistryAuthId),
  dockerEntrypoint: orUnchanged(members.dockerEntrypoint, []),
  dockerStartCmd: orUnchanged(members.dockerStartCmd, []),
  env: orUnchanged(members.env, {}),
  isPublic: orUnchanged(members.isPublic, defaults.isPublic),
  ports: orUnchanged(members.ports, []),
  readme: orUnchanged(members.readme, defaults.readme),
  volumeInGb: orUnchanged(members.volumeInGb, defaults.volumeInGb),
  volumeMountPath: orUnchanged(members.volumeMountPath, defaults.volumeMountPath),
});

export const UPDATE_TEMPLATE_OF_OPERATOR = UPDATE_TEMPLATE.extend(OPERATORS);
