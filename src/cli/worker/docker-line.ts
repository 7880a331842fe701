import { commandNameOf } from "../../domain/template.ts";
import { HIDDEN } from "../../domain/webhook.ts";
import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import { CommandFault } from "../command-fault.ts";
import { shellWord } from "../parse-words.ts";
import { callServer, endpointInPath, type ServerAccess } from "../server-call.ts";

type Template = NonNullable<EndpointAnswer["template"]>;

/** An endpoint with the image of its workers. */
export type ImageEndpoint = EndpointAnswer & { readonly template: Template };

/** Reads the endpoint and its template. Throws CommandFault if `docker run` cannot start its workers. */
export async function imageEndpoint(access: ServerAccess, name: string): Promise<ImageEndpoint> {
  const path = `/v1/endpoints/${endpointInPath(name)}?includeTemplate=true`;
  const endpoint = await callServer<EndpointAnswer>(access, path, '{"id":');
  const { template } = endpoint;
  if (template === undefined) {
    throw new CommandFault(`${endpoint.name} has no template, which names the image. Set one: --template.`);
  }
  const refusal = refusalOf(template);
  if (refusal !== undefined) throw new CommandFault(refusal);
  return { ...endpoint, template };
}

/**
 * The line for `sh` that starts a worker of the endpoint on a machine with Docker, with these variables. With
 * `many` each run of the line chooses an id of its own.
 */
export function dockerLine(
  { template, env, gpuCount, gpuTypeIds, shmSizeInMb }: ImageEndpoint,
  connection: Readonly<Record<string, string>>,
  many: boolean,
): string {
  const hasGpus = gpuCount !== undefined || gpuTypeIds.length > 0;
  const variables = Object.entries({ ...template.env, ...env, ...connection });
  const [entrypoint, ...first] = template.dockerEntrypoint;
  return [
    "docker run -d --rm",
    ...(hasGpus ? ["--gpus all --ulimit memlock=-1"] : []),
    ...sharedMemory(shmSizeInMb, hasGpus),
    ...variables.map(([name, value]) => `-e ${shellWord(`${name}=${value}`)}`),
    ...(many ? [`-e RUNPOD_POD_ID="$(cat /proc/sys/kernel/random/uuid)"`] : []),
    ...(entrypoint === undefined ? [] : [`--entrypoint ${shellWord(entrypoint)}`]),
    shellWord(template.imageName),
    ...[...first, ...template.dockerStartCmd].map(shellWord),
  ].join(" ");
}

/** What a user of the line should know. */
export function dockerNotes(
  { template: { containerRegistryAuthId } }: ImageEndpoint,
  connection: Readonly<Record<string, string>>,
): string {
  const { hostname, origin } = new URL(connection["FOREBAY_EXCHANGE_URL"] ?? "");
  const isLocal = /^(localhost|127\..*|\[::1\])$/.test(hostname);
  return [
    "The line contains a token, with which its holder gets jobs of this endpoint.",
    isLocal ? `Other machines cannot reach ${origin}. First set FOREBAY_PUBLIC_URL of the server.` : "",
    containerRegistryAuthId === "" ? "" : "The image is private: run docker login on the machine first.",
  ]
    .filter((note) => note !== "")
    .join("\n");
}

function refusalOf({ name, imageName, dockerEntrypoint, dockerStartCmd, env }: Template): string | undefined {
  if (commandNameOf(imageName) !== undefined) {
    return `the template ${name} runs ${imageName}, a command of the server, not an image. Choose another.`;
  }
  if (dockerEntrypoint.length > 0 && dockerStartCmd.length === 0) {
    return (
      `the template ${name} has an entrypoint without a command, and docker run would drop that of ` +
      "the image. Set dockerStartCmd."
    );
  }
  const hidden = Object.keys(env).find((variable) => env[variable] === HIDDEN);
  if (hidden === undefined) return undefined;
  return `the template ${name} belongs to another account, which alone sees the value of ${hidden}.`;
}

/** Without a size, half of the memory of the machine where the line runs, as in the containers of Forebay. */
function sharedMemory(sizeInMb: number | undefined, hasGpus: boolean): string[] {
  if (sizeInMb !== undefined) return [`--shm-size ${sizeInMb}m`];
  return hasGpus ? [`--shm-size "$(awk '/^MemTotal/ { print int($2 / 2) "k" }' /proc/meminfo)"`] : [];
}
