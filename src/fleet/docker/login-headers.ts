import type { RegistryLogin } from "../provider.ts";

/** By this name engines know logins of Docker's own registry; by another one some of them leave it out. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/**
 * How the engine is told with what to log in: JSON in base64 for URLs (RFC 4648, section 5), with the padding
 * that Docker wants.
 */
export function loginHeaders(login: RegistryLogin | undefined): Record<string, string> {
  if (login === undefined) return {};
  const { server, username, password } = login;
  const serveraddress = server === "docker.io" ? DOCKER_HUB : server;
  const json = JSON.stringify({ username, password, serveraddress });
  const encoded = Buffer.from(json).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  return { "x-registry-auth": encoded };
}
