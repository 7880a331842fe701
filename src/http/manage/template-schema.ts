import { z } from "zod";
import { TEMPLATE_CATEGORIES, TEMPLATE_DEFAULTS } from "../../domain/template.ts";

const MAX_NAME = 191;
const MAX_README = 262_144;

const text = z.string().refine((value) => !value.includes("\0"), "must not have a NUL character");

const name = text.min(1, "must not be empty").max(MAX_NAME, `must have at most ${MAX_NAME} characters`);

/**
 * An image reference (distribution/reference), or `process/<command>`: no leading dash, no space, no shell
 * sign.
 */
const imageName = z
  .string()
  .max(512)
  .regex(
    /^[a-zA-Z0-9][a-zA-Z0-9._-]*(:[0-9]+)?(\/[a-zA-Z0-9._-]+)*(:[\w.-]{1,128})?(@[a-z0-9+]+:[a-fA-F0-9]+)?$/,
    {
      message: "must be an image reference, such as registry.example.com/team/worker:1.2",
    },
  );

const gigabytes = z.int().min(0, "must not be negative").max(1_000_000);

const words = z.array(text.max(65_536)).max(1_000);

const environment = z.record(
  z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,255}$/, "is not a name of an environment variable"),
  text.max(131_072),
);

const port = z.string().refine(
  (value) => {
    const match = /^([0-9]{1,5})\/(http|tcp)$/.exec(value);
    return match !== null && Number(match[1]) >= 1 && Number(match[1]) <= 65_535;
  },
  { message: "must be [port number]/[protocol], the protocol http or tcp" },
);

const mountPath = z
  .string()
  .max(4_096)
  .regex(/^\/[^\0:]+$/, "must be an absolute path without a colon")
  .refine((path) => !path.split("/").some((part) => part === ".." || part === "."), "must be a plain path");

/** Null, or nothing at all, stands for the default (design, row 20). */
function orDefault<Schema extends z.ZodType>(schema: Schema, byDefault: z.output<Schema>) {
  return schema.nullish().transform((value): z.output<Schema> => value ?? byDefault);
}

/** In an update nothing means that the member stays, and null puts its default back. */
function orUnchanged<Schema extends z.ZodType>(schema: Schema, byDefault: z.output<Schema>) {
  return schema
    .nullable()
    .optional()
    .transform((value): z.output<Schema> | undefined => (value === null ? byDefault : value));
}

const members = {
  containerDiskInGb: gigabytes,
  containerRegistryAuthId: text.max(128),
  dockerEntrypoint: words,
  dockerStartCmd: words,
  env: environment,
  isPublic: z.boolean(),
  ports: z.array(port).max(1_000),
  readme: text.max(MAX_README),
  volumeInGb: gigabytes,
  volumeMountPath: mountPath,
};

const defaults = TEMPLATE_DEFAULTS;

/** Spec 4.B.1. Members that are not the author's to set, and unknown ones, are left out. */
export const CREATE_TEMPLATE = z.object({
  name,
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

/** What only the operator says of a template; of others it is left out, as all that is not theirs to set. */
const OPERATORS = { isPlatform: z.boolean().nullish() };

export const CREATE_TEMPLATE_OF_OPERATOR = CREATE_TEMPLATE.extend(OPERATORS);

/** Spec 4.B.2: no category and no isServerless. */
export const UPDATE_TEMPLATE = z.object({
  name: name.optional(),
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
