import type { Template } from "../../domain/template.ts";
import type { Dialect } from "../call.ts";

/** Spec 2.8. The public SDKs know `isPlatform` under the name of the operator they were written for. */
export function presentTemplate(template: Template, dialect: Dialect): object {
  return dialect === "sdk" ? { ...template, isRunpod: template.isPlatform } : template;
}
