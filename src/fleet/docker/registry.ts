import type { RegistryLogin } from "../provider.ts";
import { EngineFault } from "./docker-engine.ts";

/**
 * Why an engine cannot use this image name, in one sentence; undefined if it can. The grammar is that of the
 * distribution project (reference.go), which is stricter than the one for templates.
 */
export function imageNameRefusal(imageName: string): string | undefined {
  if (REFERENCE.test(imageName) && !IMAGE_ID.test(imageName)) return undefined;
  return (
    `imageName: ${imageName} is not an image of a registry. ` +
    "Use [host[:port]/]path[:tag][@digest] with a lower-case path, such as ghcr.io/team/worker:1.2."
  );
}

const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const HOST = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\\.?)+";
const REFERENCE = new RegExp(
  `^(?:${HOST}(?::[0-9]+)?/)?${PART}(?:/${PART})*(?::[\\w][\\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/** An engine would read this as the id of any image that it has, even if another user pulled it. */
const IMAGE_ID = /^(?:sha256(?::.*)?|[a-f0-9]{64})$/;

/**
 * The name with a tag or digest. Without one, an engine would pull all tags, or read a name such as `ab` as
 * the beginning of an id.
 */
export function taggedName(imageName: string): string {
  return /@|:[^/]*$/.test(imageName) ? imageName : `${imageName}:latest`;
}

/** The name under which all engines know the login of Docker Hub. */
const DOCKER_HUB = "https://index.docker.io/v1/";

/**
 * The header with the login: JSON in base64 for URLs (RFC 4648, section 5), with the padding that Docker
 * requires.
 */
export function loginHeaders(login: RegistryLogin | undefined): Record<string, string> {
  if (login === undefined) return {};
  const { server, username, password } = login;
  const serveraddress = server === "docker.io" ? DOCKER_HUB : server;
  const json = JSON.stringify({ username, password, serveraddress });
  const encoded = Buffer.from(json).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
  return { "x-registry-auth": encoded };
}

/** How engines and registries word a refusal. */
const REFUSAL = /unauthorized|denied|authentication required|no basic auth|forbidden|incorrect username/i;

/**
 * The fault of a pull with a login, with the reason if the registry refused the login. The registry's message
 * is left out if it repeats the password.
 */
export function refusedLogin(fault: EngineFault, { server, username, password }: RegistryLogin): EngineFault {
  const told = [
    password,
    encodeURIComponent(password),
    Buffer.from(`${username}:${password}`).toString("base64"),
  ];
  const repeats = told.some((secret) => fault.message.includes(secret));
  const words = repeats ? "its message is hidden because it contains the password" : fault.message;
  if (!REFUSAL.test(fault.message)) return new EngineFault(words, fault.status);
  const sentence = `the registry ${server} refuses this image to the registry login of the template`;
  return new EngineFault(`${sentence} (${words})`, fault.status);
}
