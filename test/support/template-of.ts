import { type Template, TEMPLATE_DEFAULTS } from "../../src/domain/template.ts";

/** The template of an image, as a provider gets it: the defaults, but for `fields`. */
export function templateOf(imageName: string, fields: Partial<Template> = {}): Template {
  const record = { id: "t", name: "t", isPlatform: false, earned: 0, runtimeInMin: 0 };
  return { ...TEMPLATE_DEFAULTS, ...record, imageName, ...fields };
}
