import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where a Docker Engine listens. */
export type EngineAddress =
  { readonly socketPath: string } | { readonly host: string; readonly port: number; readonly tls?: TlsFiles };

/** What both sides know each other by, in PEM. */
interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** The ports that Docker has without TLS and with it. */
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/**
 * Reads an address as the `docker` command has it: `unix:///var/run/docker.sock` or `tcp://host:2376`. With a
 * directory that holds `ca.pem`, `cert.pem` and `key.pem` the connection is encrypted, and each side asks the
 * other who it is. Throws a sentence.
 */
export async function engineAddress(host: string, tlsDirectory: string): Promise<EngineAddress> {
  const socketPath = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (socketPath !== undefined) return { socketPath };
  const { hostname, port } = new URL(host.replace(/^tcp:/, "http:"));
  const name = hostname.replace(/^\[|\]$/g, "");
  if (tlsDirectory === "") return { host: name, port: Number(port || PLAIN_PORT) };
  const [ca, cert, key] = await Promise.all(
    ["ca.pem", "cert.pem", "key.pem"].map((file) => readFile(join(tlsDirectory, file), "utf8")),
  );
  return {
    host: name,
    port: Number(port || TLS_PORT),
    tls: { ca: ca ?? "", cert: cert ?? "", key: key ?? "" },
  };
}
