import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";

/** What a registry asks for, and what it says to whoever has nothing else (distribution spec, pull). */
export interface RegistryDoor {
  /** `user:password`; undefined lets everybody in. */
  readonly login?: string;
  /** Of who is let in from where; by default nothing is told of the request. */
  readonly refusal?: (authorization: string) => string;
}

/** A registry of `team/worker:1`, for whoever has the login, if there is one. */
export interface ImageRegistry {
  /** Host and port. */
  readonly server: string;
  /** The digest of the image under its tag. */
  readonly digest: string;
  /** Moves the tag to an image that runs this instead; the one before is there by its digest. */
  push(script: string): void;
  /** How many requests came for the image and were let in. */
  asked(): number;
  stop(): Promise<void>;
}

export function startImageRegistry(
  layerTar: Uint8Array<ArrayBuffer>,
  { login, refusal = () => "log in" }: RegistryDoor = {},
): ImageRegistry {
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>();
  const manifests = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = (bytes: Uint8Array<ArrayBuffer>): { digest: string; size: number } => {
    const digest = digestOf(bytes);
    blobs.set(digest, bytes);
    return { digest, size: bytes.length };
  };
  const layer = add(new Uint8Array(gzipSync(layerTar)));
  let tagged = "";
  function push(script: string): void {
    const config = add(
      bytesOf({
        architecture: process.arch === "arm64" ? "arm64" : "amd64",
        os: "linux",
        // No two registries have the same image.
        config: { Cmd: ["sh", "-c", script], Labels: { made: crypto.randomUUID() } },
        rootfs: { type: "layers", diff_ids: [digestOf(layerTar)] },
      }),
    );
    const manifest = bytesOf({
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: { mediaType: "application/vnd.docker.container.image.v1+json", ...config },
      layers: [{ mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip", ...layer }],
    });
    tagged = digestOf(manifest);
    manifests.set(tagged, manifest);
  }
  push("echo pulled");
  let asked = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const path = new URL(request.url).pathname;
      const authorization = request.headers.get("authorization") ?? "";
      if (login !== undefined && authorization !== `Basic ${btoa(login)}`) {
        const headers = { "www-authenticate": 'Basic realm="test"' };
        return Response.json(
          { errors: [{ code: "UNAUTHORIZED", message: refusal(authorization) }] },
          { status: 401, headers },
        );
      }
      if (path === "/v2/") return new Response("{}");
      if (path.startsWith("/v2/team/worker/manifests/")) {
        asked += 1;
        const wish = path.split("/").at(-1) ?? "";
        const digest = wish.startsWith("sha256:") ? wish : tagged;
        return new Response(manifests.get(digest), {
          headers: { "content-type": MANIFEST, "docker-content-digest": digest },
        });
      }
      const blob = blobs.get(path.split("/").at(-1) ?? "");
      return blob === undefined ? new Response("{}", { status: 404 }) : new Response(blob);
    },
  });
  return {
    server: `127.0.0.1:${server.port}`,
    get digest() {
      return tagged;
    },
    push,
    asked: () => asked,
    stop: () => server.stop(true),
  };
}

function bytesOf(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
