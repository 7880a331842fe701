import { commandNameOf, registryOf, type Template } from "../domain/template.ts";
import type { Engine } from "../engine/engine.ts";
import { credentialsOf } from "../engine/records/registry-logins.ts";
import { type RegistryLogin, StartFault } from "../fleet/provider.ts";

/**
 * With what the image of the template is fetched; undefined: with nothing. It goes to the registry that the
 * author of the template names, who owns the login too. Throws StartFault when the login is not there.
 */
export function loginFor(engine: Engine, template: Template): RegistryLogin | undefined {
  const { imageName, containerRegistryAuthId: id } = template;
  if (id === "" || commandNameOf(imageName) !== undefined) return undefined;
  const credentials = credentialsOf(engine, id);
  if (credentials === undefined) {
    throw new StartFault(`The registry login ${id}, which template ${template.id} names, is not there.`);
  }
  return { server: registryOf(imageName), ...credentials };
}
