import { realpath } from "node:fs/promises";
import { normalize } from "node:path";
import { sshTarget } from "./ssh-target.ts";

/** The ports of Docker, without and with TLS. They lead to the same engine. */
const DOCKER_PORTS = new Set(["", "2375", "2376"]);

const SSH_PORTS = new Set([undefined, "22"]);

/**
 * A text that is equal for all spellings of the address of one engine, as far as the address shows it: a
 * slash at its end, the case of host names, default ports, links on this machine, and for `ssh://` the user.
 * It cannot show that two names are one machine.
 */
export async function engineAt(address: string): Promise<string> {
  const target = sshTarget(address);
  if (target !== undefined) {
    const machine = machineOf(target.destination.replace(/^.*@/, ""));
    const port = SSH_PORTS.has(target.port) ? "" : `:${target.port}`;
    return `ssh://${machine}${port}${withoutLink(plainPath(target.socket))}`;
  }
  const path = /^unix:\/\/(\/.+)$/.exec(address)?.[1];
  if (path !== undefined) return `unix://${await realPath(plainPath(path))}`;
  const url = /^tcp:\/\/(.+)$/.exec(address)?.[1];
  if (url === undefined || !URL.canParse(`http://${url}`)) return address;
  const { hostname, port } = new URL(`http://${url}`);
  return `tcp://${machineOf(hostname)}${DOCKER_PORTS.has(port) ? "" : `:${port}`}`;
}

function machineOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

function plainPath(path: string): string {
  return normalize(path).replace(/(.)\/$/, "$1");
}

/** Links of another machine cannot be seen. This one is on all of them. */
function withoutLink(path: string): string {
  return path.replace(/^\/var\/run\//, "/run/");
}

/** The path without links; as it is if nothing is there. */
async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => withoutLink(path));
}
