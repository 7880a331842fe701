import { mkdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type ImageStore, makeRoot } from "../support/worker-images.ts";

interface DeviceRequest {
  readonly Driver: string;
  readonly Count?: number;
  readonly DeviceIDs?: readonly string[];
  readonly Capabilities?: readonly (readonly string[])[];
}

/** Stands before the socket of an engine and makes it one with GPUs, as far as the API shows that. */
export interface GpuEngine extends AsyncDisposable {
  readonly socket: string;
  /** The names of the CDI devices that it lists, such as `GPU-1`. */
  cdi: readonly string[];
  /** The version of podman that it claims to have; undefined: that of the real engine. */
  podman: string | undefined;
  /** Whether it gives all GPUs to each container. */
  leaks: boolean;
  /** The device requests of all containers that it created, undefined for those without any. */
  readonly requests: (DeviceRequest | undefined)[];
}

/** The real engines here have no driver for GPUs. So it sets the variable that the NVIDIA runtime sets. */
export async function gpuEngine(engineSocket: string, uuids: readonly string[]): Promise<GpuEngine> {
  const directory = await temporaryDirectory();
  const socket = join(directory.path, "gpus.sock");
  const requests: GpuEngine["requests"] = [];
  const own = {
    cdi: [] as readonly string[],
    podman: undefined as string | undefined,
    canLock: true,
    leaks: false,
  };

  const isCreate = (path: string): boolean => path.includes("/containers/create");

  function changed(path: string, body: string): string {
    if (!isCreate(path)) return body;
    const { HostConfig, Env = [], ...rest } = JSON.parse(body);
    // Not every machine allows its limits, and nothing here depends on them.
    const { DeviceRequests: [request] = [], Ulimits: _, ...host } = HostConfig;
    const ids = (request?.DeviceIDs ?? ["all"]).map((id: string) => id.replace("nvidia.com/gpu=", ""));
    const visible = ids.includes("all") || own.leaks ? uuids : ids;
    const env = request === undefined ? Env : [...Env, `VISIBLE=${visible.join(" ")}`];
    return JSON.stringify({ ...rest, Env: env, HostConfig: host });
  }

  function answered(path: string, text: string): string {
    if (path.endsWith("/info") && !/v1\.[1-4]/.test(path)) {
      const DiscoveredDevices = own.cdi.map((name) => ({ Source: "cdi", ID: `nvidia.com/gpu=${name}` }));
      return JSON.stringify({ ...JSON.parse(text), DiscoveredDevices });
    }
    if (!path.endsWith("/version") || own.podman === undefined) return text;
    return JSON.stringify({
      ...JSON.parse(text),
      Components: [{ Name: "Podman Engine", Version: own.podman }],
    });
  }

  const server = http.createServer((request, answer) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const given = Buffer.concat(pieces).toString();
      const body = given === "" ? "" : changed(url, given);
      // The engines here are older than the API that lists devices.
      const path = url.replace(/^\/v1\.\d+/, "/v1.41");
      const { "content-length": _, ...rest } = headers;
      const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
      const target = http.request({
        socketPath: engineSocket,
        method,
        path,
        headers: { ...rest, ...length },
        agent: false,
      });
      target.on("response", (from) => {
        if (isCreate(url) && from.statusCode === 201) {
          requests.push(JSON.parse(given).HostConfig.DeviceRequests?.[0]);
        }
        if (/\/(info|version)$/.test(url)) {
          const parts: Buffer[] = [];
          from.on("data", (part: Buffer) => parts.push(part));
          from.on("end", () => {
            answer.writeHead(from.statusCode ?? 0, { "content-type": "application/json" });
            answer.end(answered(url, Buffer.concat(parts).toString()));
          });
          return;
        }
        const version = url.endsWith("/_ping") ? { "api-version": "1.50" } : {};
        answer.writeHead(from.statusCode ?? 0, { ...from.headers, ...version });
        answer.flushHeaders();
        from.pipe(answer);
      });
      target.on("error", () => answer.destroy());
      answer.on("close", () => target.destroy());
      target.end(body === "" ? undefined : body);
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return Object.assign(own, {
    socket,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  });
}

/** An image whose `nvidia-smi` shows the cards that the variable of the engine names. */
export async function importSmiImage(host: ImageStore, image: string, model: string): Promise<void> {
  await using root = await temporaryDirectory();
  makeRoot(root.path);
  mkdirSync(join(root.path, "usr/bin"), { recursive: true });
  const script = `#!/bin/sh
i=0
for uuid in $VISIBLE; do
  if [ "$1" = -L ]; then echo "GPU $i: ${model} (UUID: $uuid)"
  else echo "$i, $uuid, ${model}, 46068, [N/A]"; fi
  i=$((i+1))
done
`;
  writeFileSync(join(root.path, "usr/bin/nvidia-smi"), script, { mode: 0o755 });
  await host.import(root.path, image);
}
