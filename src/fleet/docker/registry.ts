import type { RegistryLogin } from "../provider.ts";
import { EngineFault } from "./docker-engine.ts";

/**
 * Why an engine could make nothing of this image name, in one sentence; undefined when it can. The grammar is
 * that of the distribution project (reference.go), which is stricter than the one of templates.
 */
export function imageNameRefusal(imageName: string): string | undefined {
  if (REFERENCE.test(imageName) && !IMAGE_ID.test(imageName)) return undefined;
  return (
    `imageName: ${imageName} names no image of a registry. ` +
    "Write [host[:port]/]path[:tag][@digest], the path in lower case, such as ghcr.io/team/worker:1.2."
  );
}

const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const HOST = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\\.?)+";
const REFERENCE = new RegExp(
  `^(?:${HOST}(?::[0-9]+)?/)?${PART}(?:/${PART})*(?::[\\w][\\w.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
);

/** What an engine would take for the id of an image that it has, whoever has fetched that. */
const IMAGE_ID = /^(?:sha256(?::.*)?|[a-f0-9]{64})$/;

/**
 * The name with a tag or digest. Without one an engine would fetch all that there are, and take a name such
 * as `ab` for the begin of an id.
 */
export function taggedName(imageName: string): string {
  return /@|:[^/]*$/.test(imageName) ? imageName : `${imageName}:latest`;
}

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

/** The words of engines and registries for it. */
const REFUSAL = /unauthorized|denied|authentication required|no basic auth|forbidden|incorrect username/i;

/**
 * What is said of a pull with a login that failed: that the registry refuses it, where it does, and what it
 * says. A registry could repeat what it was sent: what has the password in it is left out.
 */
export function refusedLogin(fault: EngineFault, { server, username, password }: RegistryLogin): EngineFault {
  const told = [
    password,
    encodeURIComponent(password),
    Buffer.from(`${username}:${password}`).toString("base64"),
  ];
  const repeats = told.some((secret) => fault.message.includes(secret));
  const words = repeats ? "its words are left out, since they have the password in them" : fault.message;
  if (!REFUSAL.test(fault.message)) return new EngineFault(words, fault.status);
  const sentence = `the registry ${server} does not give this image to the registry login of the template`;
  return new EngineFault(`${sentence} (${words})`, fault.status);
}
