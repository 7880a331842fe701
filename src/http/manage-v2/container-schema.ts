import { z } from "zod";
import { splitArgs } from "../../domain/template.ts";
import type { Container } from "../../engine/records/own-template.ts";
import { gigabytes, imageName, MOST_WORDS, port } from "../manage/template-schema.ts";
import { environment, text } from "../manage/text-fields.ts";

const MOST_PORTS = 1_000;
const LONGEST_ARGS = 65_536;

/** Members of v2 about a container, for endpoints and templates alike. */
export const CONTAINER_FIELDS = {
  image: imageName.optional(),
  args: text(LONGEST_ARGS)
    // A longer text is refused already, and takes long to split.
    .refine((args) => args.length > 2 * LONGEST_ARGS || splitArgs(args).length <= MOST_WORDS, {
      message: `must have at most ${MOST_WORDS} words`,
    })
    .optional(),
  disk: gigabytes.optional(),
  env: environment.optional(),
  ports: z.array(port).max(MOST_PORTS).optional(),
  registry: text(128).nullable().optional(),
};

export const cudaVersion = z.string().regex(/^[0-9]{1,4}\.[0-9]{1,4}$/, "must be a version such as 12.4");

type ContainerFields = z.output<z.ZodObject<typeof CONTAINER_FIELDS>>;

/** What the members say of a container, under the names of our records; undefined: not set. */
export function containerIn({ image, args, disk, ports, registry }: ContainerFields): Container {
  return definedIn({
    imageName: image,
    dockerStartCmd: args === undefined ? undefined : splitArgs(args),
    containerDiskInGb: disk,
    ports,
    containerRegistryAuthId: registry === undefined ? undefined : (registry ?? ""),
  });
}

/** The object without its undefined members. */
export function definedIn<Value extends object>(object: Value): Defined<Value> {
  // Nothing but undefined members was left out.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== undefined),
  ) as Defined<Value>;
}

/** The same members, each optional and never undefined. */
export type Defined<Value> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> };
