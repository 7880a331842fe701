import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withPath } from "../../domain/errors.ts";
import { OperatorFault } from "../../domain/operator-fault.ts";

/** Where a Docker Engine listens. */
export type EngineAddress =
  { readonly socketPath: string } | { readonly host: string; readonly port: number; readonly tls?: TlsFiles };

/** The certificates and the key of a connection, in PEM. */
interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
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
  const socketPath = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
  if (socketPath !== undefined) return { socketPath };
  const { hostname, port } = new URL(host.replace(/^tcp:/, "http:"));
  const name = hostname.replace(/^\[|\]$/g, "");
  if (tlsDirectory === "") return { host: name, port: Number(port || PLAIN_PORT) };
  return { host: name, port: Number(port || TLS_PORT), tls: await readTls(tlsDirectory) };
}

async function readTls(directory: string): Promise<TlsFiles> {
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
    throw new OperatorFault(`${path} is no ${what} in PEM. Put the right file there.`, { cause: error });
  }
  return text;
}
