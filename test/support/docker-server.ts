import type { DockerHost } from "./docker-host.ts";
import { ServerProcess } from "./server-process.ts";

/** A server whose workers are containers of this engine, and share the network of the machine. */
export function startDockerServer(
  host: Pick<DockerHost, "url">,
  flags: Record<string, string> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return ServerProcess.start({
    env,
    flags: {
      "docker-host": host.url,
      "docker-network": "host",
      "ping-interval-ms": "200",
      "drain-grace-ms": "1000",
      ...flags,
    },
  });
}

/** A template of an image, and an endpoint on it; the answer is the id of the endpoint. */
export async function imageEndpoint(
  server: ServerProcess,
  imageName: string,
  fields: Record<string, unknown> = {},
  template: Record<string, unknown> = {},
): Promise<string> {
  const name = `template-${crypto.randomUUID()}`;
  const made = await server.post("/v1/templates", { name, imageName, volumeInGb: 0, ...template });
  if (made.status !== 200) throw new Error(made.text);
  return server.endpoint({ templateId: made.json.id, ...fields });
}
