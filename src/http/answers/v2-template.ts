import { z } from "zod";
import { joinedArgs, type Template, TEMPLATE_CATEGORIES, TEMPLATE_DEFAULTS } from "../../domain/template.ts";
import { type Answered, count, id, type Shown, type Warning, warnings } from "./members.ts";
import { REGISTRY_LOGIN } from "./template.ts";

const NOT_HERE = { description: "Always false here." };

const template = z
  .strictObject({
    id,
    name: z.string(),
    image: z.string(),
    args: z.string().meta({ description: "The command, quoted as for a shell." }),
    disk: count.meta({ description: "GB." }),
    env: z
      .record(z.string(), z.string())
      .meta({ description: "The values in a public template of another account are shown as `***`." }),
    ports: z.array(z.string()),
    registry: z.string().nullable().meta({ description: "The id of a registry login." }),
    mounts: z.strictObject({
      persistent: z
        .strictObject({ size: count, path: z.string() })
        .optional()
        .meta({ description: "The volume of each worker, GB; left out if it has none." }),
    }),
    serverless: z.boolean(),
    public: z.boolean().meta({ description: "Whether other accounts may see and use it." }),
    category: z.enum(TEMPLATE_CATEGORIES),
    startSsh: z.boolean().meta(NOT_HERE),
    startJupyter: z.boolean().meta(NOT_HERE),
    allowedCudaVersions: z.array(z.string()).meta({ description: "Always empty here." }),
    warnings,
  })
  .meta({ id: "V2Template", description: "A template in the shape of v2." });

export const V2_TEMPLATE = {
  schema: template,
  example: {
    id: "t7d0k2p5sx",
    name: "hello",
    image: "registry.example.com/team/hello:1.2",
    args: "python handler.py",
    disk: 50,
    env: { MODEL: "small" },
    ports: ["8888/http"],
    registry: null,
    mounts: { persistent: { size: 20, path: TEMPLATE_DEFAULTS.volumeMountPath } },
    serverless: true,
    public: false,
    category: "NVIDIA",
    startSsh: false,
    startJupyter: false,
    allowedCudaVersions: [],
  },
};

export const V2_TEMPLATES = {
  schema: z.strictObject({ templates: z.array(template) }),
  example: { templates: [V2_TEMPLATE.example] },
};

export type V2TemplateAnswer = Answered<typeof template>;

/** A template in the shape of v2, without its environment, with the warnings of the call that wrote it. */
export function presentV2Template(
  shown: Omit<Template, "env">,
  given: readonly Warning[] = [],
): Shown<Omit<V2TemplateAnswer, "env">> {
  const { volumeInGb: size, volumeMountPath: path } = shown;
  return {
    id: shown.id,
    name: shown.name,
    image: shown.imageName,
    args: joinedArgs(shown.dockerStartCmd),
    disk: shown.containerDiskInGb,
    ports: shown.ports,
    registry: shown.containerRegistryAuthId || null,
    mounts: size === 0 ? {} : { persistent: { size, path } },
    serverless: shown.isServerless,
    public: shown.isPublic,
    category: shown.category,
    startSsh: false,
    startJupyter: false,
    allowedCudaVersions: [],
    warnings: given.length === 0 ? undefined : given,
  };
}

export const V2_REGISTRIES = {
  schema: z.strictObject({ registries: z.array(REGISTRY_LOGIN.schema) }),
  example: { registries: [REGISTRY_LOGIN.example] },
};
