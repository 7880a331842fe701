import type { Engine } from "./engine.ts";

/** Whether Forebay starts workers for the endpoint; the workers of all others come by themselves. */
export function isManaged({ configuration, runs }: Engine, endpoint: string): boolean {
  const { templateId } = configuration.get("endpoint", endpoint) ?? {};
  const template = templateId === undefined ? undefined : configuration.get("template", templateId);
  return template !== undefined && runs(template.imageName);
}
