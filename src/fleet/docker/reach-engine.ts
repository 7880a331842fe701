import type { Clock } from "../../domain/clock.ts";
import type { HostCertificates } from "../../domain/host.ts";
import { addressWith, type EngineAddress, engineAddress } from "./engine-address.ts";
import { sshTarget } from "./ssh-target.ts";
import { SshTunnel } from "./ssh-tunnel.ts";

/** How an engine is reached, as the operator says it. */
export interface EngineSettings {
  /** Such as `unix:///var/run/docker.sock`, `tcp://host:2376` or `ssh://user@host`. */
  readonly dockerHost: string;
  /** The directory of certificates for `tcp://`; empty: no encryption. */
  readonly dockerTls: string;
  /** The configuration file of `ssh`; empty: that of the user. */
  readonly dockerSshConfig: string;
}

export interface ReachedEngine {
  readonly address: EngineAddress;
  /** Settled when it can be called. Before that, calls fail. */
  readonly ready: Promise<void>;
  /** Ends what was started to reach it. */
  close(): Promise<void>;
}

/**
 * Starts what is needed to reach an engine. Does not fail if the engine does not answer: each call says why.
 * Throws OperatorFault, and the system error if its certificates cannot be read.
 */
export async function reachEngine(settings: EngineSettings, clock: Clock): Promise<ReachedEngine> {
  const { dockerHost, dockerTls, dockerSshConfig } = settings;
  const target = sshTarget(dockerHost);
  if (target !== undefined) return SshTunnel.open(target, dockerSshConfig, clock);
  return reachedAt(await engineAddress(dockerHost, dockerTls));
}

/** The same with certificates that are not in files. `sshConfig` as `dockerSshConfig`. */
export function reachWith(
  host: string,
  certificates: HostCertificates | undefined,
  sshConfig: string,
  clock: Clock,
): ReachedEngine {
  const target = sshTarget(host);
  if (target !== undefined) return SshTunnel.open(target, sshConfig, clock);
  return reachedAt(addressWith(host, certificates));
}

function reachedAt(address: EngineAddress): ReachedEngine {
  return { address, ready: Promise.resolve(), close: async () => undefined };
}
