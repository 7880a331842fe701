import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import type { HostCertificates } from "../domain/host.ts";
import { OperatorFault } from "../domain/operator-fault.ts";
import { dockerEngine, EngineFault } from "../fleet/docker/docker-engine.ts";
import { engineAt } from "../fleet/docker/one-engine.ts";
import { type ReachedEngine, reachWith } from "../fleet/docker/reach-engine.ts";
import { hasLimits } from "../fleet/process/worker-cgroup.ts";
import type { Config } from "./config.ts";
import { processLimits } from "./configured-docker.ts";
import { dockerHost } from "./values.ts";

/** How long an engine may take to answer, ms. */
const PATIENCE = 10_000;

/** What the settings say of hosts and of what workers start from. */
export function hostCalls(config: Config, clock: Clock) {
  const limitsProcesses = hasLimits(processLimits(config));
  return { hostRefusal: hostRefusal(config, clock), engineAt, limitsProcesses };
}

/**
 * Checks hosts: connects once to the engine at an address. Answers why no host can be there, in a sentence
 * that begins with the member of the call that is wrong; undefined if the engine answers.
 */
function hostRefusal({ dockerSshConfig }: Config, clock: Clock) {
  return async (address: string, certificates: HostCertificates | undefined): Promise<string | undefined> => {
    const refusal = addressRefusal(address) ?? (certificates && certificateRefusal(certificates));
    if (refusal !== undefined) return refusal;
    const reached = reachWith(address, certificates, dockerSshConfig, clock);
    try {
      await reached.ready;
      return await answerRefusal(reached, address, clock);
    } finally {
      await reached.close();
    }
  };
}

async function answerRefusal(
  reached: ReachedEngine,
  address: string,
  clock: Clock,
): Promise<string | undefined> {
  const engine = dockerEngine(reached.address, clock);
  try {
    await engine.send({ method: "GET", path: "/info", patience: PATIENCE });
    return undefined;
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error;
    return (
      `address: No engine can be used at ${address}: ${error.message}. ` +
      `Start it there, and check the address${address.startsWith("tcp:") ? " and the certificates" : ""}.`
    );
  }
}

/** Why this is no address of an engine, in one sentence; undefined if it is one. */
function addressRefusal(address: string): string | undefined {
  try {
    dockerHost(address);
    return undefined;
  } catch (error) {
    if (!(error instanceof OperatorFault)) throw error;
    return `address: ${JSON.stringify(address)} is not the address of an engine: ${error.message}.`;
  }
}

function certificateRefusal({ ca, cert, key }: HostCertificates): string | undefined {
  const parsed = [
    ["ca", "certificate", () => new X509Certificate(ca)],
    ["cert", "certificate", () => new X509Certificate(cert)],
    ["key", "private key", () => createPrivateKey(key)],
  ] as const;
  for (const [name, what, parse] of parsed) {
    try {
      parse();
    } catch {
      return `certificates.${name}: is not a ${what} in PEM.`; // the library says no in many ways
    }
  }
  const isKeyOf = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  return isKeyOf ? undefined : "certificates.key: is not the key of certificates.cert.";
}
