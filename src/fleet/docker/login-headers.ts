import type { RegistryLogin } from "../provider.ts";

/**
 * How the engine is told with what to log in: JSON in base64 for URLs (RFC 4648, section 5), with the padding
 * that Docker wants.
 */
export function loginHeaders(login: RegistryLogin | undefined): Record<string, string> {
  if (login === undefined) return {};
  const { server, username, password } = login;
  const json = JSON.stringify({ username, password, serveraddress: server });
  const encoded = Buffer.from(json).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  return { "x-registry-auth": encoded };
}
