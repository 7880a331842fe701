import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withPath } from "../../domain/errors.ts";
import type { HostCertificates } from "../../domain/host.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** Where a Docker Engine listens. */
export type EngineAddress =
  EngineSocket | { readonly host: string; readonly port: number; readonly tls?: HostCertificates };

export interface EngineSocket {
  readonly socketPath: string;
  /**
   * Only of an engine on another machine: why the way to it is broken, as a clause; undefined if it is not.
   */
  readonly fault?: () => Promise<string | undefined>;
}

/** Whether the engine runs on the machine of the server, so that both have the same GPUs. */
export function isOnThisMachine(address: EngineAddress): boolean {
  return "socketPath" in address && address.fault === undefined;
}

/** Docker's ports without and with TLS. */
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/**
 * Reads an address in the form of the `docker` command: `unix:///var/run/docker.sock` or `tcp://host:2376`.
 * With a directory that has `ca.pem`, `cert.pem` and `key.pem`, the connection is encrypted and both sides
 * are authenticated. Throws a sentence.
 */
export async function engineAddress(host: string, tlsDirectory: string): Promise<EngineAddress> {
  const isEncrypted = tlsDirectory !== "" && !host.startsWith("unix:");
  return addressWith(host, isEncrypted ? await readTls(tlsDirectory) : undefined);
}

/** The same with certificates that are not in files. */
export function addressWith(host: string, tls: HostCertificates | undefined): EngineAddress {
  const socketPath = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (socketPath !== undefined) return { socketPath };
  const { hostname, port } = new URL(host.replace(/^tcp:/, "http:"));
  const name = hostname.replace(/^\[|\]$/g, "");
  if (tls === undefined) return { host: name, port: Number(port || PLAIN_PORT) };
  return { host: name, port: Number(port || TLS_PORT), tls };
}

async function readTls(directory: string): Promise<HostCertificates> {
  const path = (file: string): string => join(directory, file);
  // One after the other, so that the same fault is reported each time.
  const ca = await readPem(path("ca.pem"), "certificate", (text) => new X509Certificate(text));
  const cert = await readPem(path("cert.pem"), "certificate", (text) => new X509Certificate(text));
  return { ca, cert, key: await readPem(path("key.pem"), "private key", createPrivateKey) };
}

async function readPem(path: string, what: string, parse: (text: string) => unknown): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw withPath(error, path);
  }
  try {
    parse(text);
  } catch (error) {
    throw new OperatorFault(`${path} is not a ${what} in PEM. Put the right file there.`, { cause: error });
  }
  return text;
}
