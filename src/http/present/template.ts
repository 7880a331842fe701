import type { Template } from "../../domain/template.ts";
import type { ShownTemplate } from "../../engine/records/templates.ts";
import type { Dialect } from "../call.ts";
import type { Part } from "../reply.ts";
import { objectParts } from "./object-parts.ts";

/** A template that was just written. */
export function presentTemplate(template: Template, dialect: Dialect): object {
  return { ...presentWithoutEnv(template, dialect), env: template.env };
}

/** A template as an account may see it. */
export function templateParts(template: ShownTemplate, dialect: Dialect): Part[] {
  return objectParts(presentWithoutEnv(template, dialect), { env: [template.env()] });
}

/** Spec 2.8. The public SDKs know `isPlatform` under the name of the operator they were written for. */
function presentWithoutEnv(template: Omit<Template, "env">, dialect: Dialect): object {
  const { isPlatform } = template;
  return {
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
    isPlatform,
    earned: template.earned,
    runtimeInMin: template.runtimeInMin,
    ...(dialect === "sdk" ? { isRunpod: isPlatform } : {}),
  };
}
