import { z } from "zod";
import { type Template, TEMPLATE_CATEGORIES } from "../../domain/template.ts";
import type { Dialect } from "../call.ts";
import { type Answered, count, id, type Shown, type Warning, warnings } from "./members.ts";

/** Templates and registry logins (spec 2.8; docs/templates.md). */
const template = {
  id,
  name: z.string(),
  imageName: z.string(),
  category: z.enum(TEMPLATE_CATEGORIES),
  containerDiskInGb: count,
  containerRegistryAuthId: z.string(),
  dockerEntrypoint: z.array(z.string()),
  dockerStartCmd: z.array(z.string()),
  env: z
    .record(z.string(), z.string())
    .meta({ description: "The values in a public template of another account are shown as `***`." }),
  ports: z.array(z.string()),
  readme: z.string().meta({ description: "Markdown." }),
  volumeInGb: count,
  volumeMountPath: z.string(),
  isPublic: z.boolean().meta({ description: "Whether other accounts may see and use it." }),
  isServerless: z.boolean(),
  isPlatform: z.boolean().meta({ description: "Whether it is one of the operator's." }),
  earned: z.number(),
  runtimeInMin: count,
  warnings,
};

const OF_TEMPLATE = { id: "Template", description: "What a worker is made of (all eighteen members)." };

const A_TEMPLATE = {
  id: "t7d0k2p5sx",
  name: "hello",
  imageName: "registry.example.com/team/hello:1.2",
  category: "NVIDIA",
  containerDiskInGb: 50,
  containerRegistryAuthId: "",
  dockerEntrypoint: [],
  dockerStartCmd: ["python", "handler.py"],
  env: { MODEL: "small" },
  ports: ["8888/http"],
  readme: "",
  volumeInGb: 20,
  volumeMountPath: "/workspace",
  isPublic: false,
  isServerless: true,
  isPlatform: false,
  earned: 0,
  runtimeInMin: 0,
};

export const TEMPLATE = {
  spec: { schema: z.strictObject(template).meta(OF_TEMPLATE), example: A_TEMPLATE },
  sdk: {
    schema: z
      .strictObject({ ...template, isRunpod: z.boolean().meta({ description: "As `isPlatform`." }) })
      .meta(OF_TEMPLATE),
    example: { ...A_TEMPLATE, isRunpod: false },
  },
} as const;

export type TemplateAnswer = Answered<typeof TEMPLATE.spec.schema>;
type SdkTemplateAnswer = Answered<typeof TEMPLATE.sdk.schema>;

export const TEMPLATES = {
  spec: { schema: z.array(TEMPLATE.spec.schema), example: [TEMPLATE.spec.example] },
  sdk: { schema: z.array(TEMPLATE.sdk.schema), example: [TEMPLATE.sdk.example] },
} as const;

/** A template that was just written, with the warnings of the call. */
export function presentTemplate(
  template: Template,
  dialect: Dialect,
  given: readonly Warning[],
): Shown<TemplateAnswer> | Shown<SdkTemplateAnswer> {
  const record = { ...presentWithoutEnv(template, dialect), env: template.env };
  return { ...record, warnings: given.length === 0 ? undefined : given };
}

/** A template without its environment, which can be large. */
export function presentWithoutEnv(
  template: Omit<Template, "env">,
  dialect: Dialect,
): Shown<Omit<TemplateAnswer, "env" | "warnings">> | Shown<Omit<SdkTemplateAnswer, "env" | "warnings">> {
  const shown: Shown<Omit<TemplateAnswer, "env" | "warnings">> = {
    id: template.id,
    name: template.name,
    imageName: template.imageName,
    category: template.category,
    containerDiskInGb: template.containerDiskInGb,
    containerRegistryAuthId: template.containerRegistryAuthId,
    dockerEntrypoint: template.dockerEntrypoint,
    dockerStartCmd: template.dockerStartCmd,
    ports: template.ports,
    readme: template.readme,
    volumeInGb: template.volumeInGb,
    volumeMountPath: template.volumeMountPath,
    isPublic: template.isPublic,
    isServerless: template.isServerless,
    isPlatform: template.isPlatform,
    earned: template.earned,
    runtimeInMin: template.runtimeInMin,
  };
  if (dialect === "spec") return shown;
  // The public SDKs know `isPlatform` under the name of the operator they were written for.
  return { ...shown, isRunpod: template.isPlatform };
}

export const REGISTRY_LOGIN = {
  schema: z
    .strictObject({ id, name: z.string() })
    .meta({ id: "RegistryLogin", description: "A registry login; username and password are never shown." }),
  example: { id: "r8f2m6q0xy", name: "ghcr" },
};

export type RegistryLoginAnswer = Answered<typeof REGISTRY_LOGIN.schema>;

export const REGISTRY_LOGINS = {
  schema: z.array(REGISTRY_LOGIN.schema),
  example: [REGISTRY_LOGIN.example],
};

export function presentLogin({ id, name }: RegistryLoginAnswer): Shown<RegistryLoginAnswer> {
  return { id, name };
}
