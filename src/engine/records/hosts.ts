import { ForebayError } from "../../domain/errors.ts";
import {
  type DeclaredGpu,
  type HostCertificates,
  type HostRecord,
  isConfiguredHost,
} from "../../domain/host.ts";
import { hostNamed, type HostSight } from "../hosts.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";
import { putRecord, type RecordChanges } from "./put-record.ts";

/** What writing the record of a host needs. */
export interface HostChanges extends RecordChanges, HostSight {}

export interface NewHost {
  readonly name: string;
  readonly address: string;
  /** Undefined: the connection is not encrypted. */
  readonly certificates: HostCertificates | undefined;
  /** What the operator declares; undefined: what Forebay can read. */
  readonly gpus: readonly DeclaredGpu[] | undefined;
  readonly labels: readonly string[];
}

/** What can be changed of a host. Undefined leaves a member as it is. */
export interface HostMembers {
  readonly isDraining: boolean | undefined;
  readonly labels: readonly string[] | undefined;
}

/** More hosts than anyone has: each is asked every 2 s. */
const MOST = 200;

/**
 * Creates a host, after a call to its engine. Throws INVALID_FIELD if the engine cannot be used, NAME_TAKEN,
 * and LIMIT_REACHED.
 */
export async function createHost(engine: HostChanges, { certificates, ...host }: NewHost): Promise<void> {
  const { name, address, gpus, labels } = host;
  if (certificates !== undefined && !address.startsWith("tcp:")) {
    const sentence = "certificates: only an address that begins with tcp:// uses them. Leave them out.";
    throw new ForebayError("INVALID_FIELD", sentence);
  }
  if (address.startsWith("unix:") && engine.store.shared !== undefined) {
    const sentence =
      "address: with several servers, each would take a unix:// address for its own machine. " +
      "Use tcp:// or ssh://, or FOREBAY_DOCKER_HOST of each server.";
    throw new ForebayError("INVALID_FIELD", sentence);
  }
  const hosts = engine.starts.hosts();
  if (isConfiguredHost(name) || hosts.some((other) => other.name === name)) {
    throw new ForebayError("NAME_TAKEN", `Another host is already named ${name}. Choose another name.`);
  }
  await refuseSameEngine(engine, address);
  if (engine.configuration.all("host").length >= MOST) {
    const sentence = `There are already ${MOST} hosts, the maximum. Delete one first.`;
    throw new ForebayError("LIMIT_REACHED", sentence);
  }
  const refusal = await engine.starts.hostRefusal(address, certificates);
  if (refusal !== undefined) throw new ForebayError("INVALID_FIELD", refusal);
  const sealed = certificates && sealCertificates(engine, name, certificates);
  await putRecord(engine, "host", { id: name, address, labels, isDraining: false, sealed, gpus });
}

/** Two hosts with the same engine would stop each other's workers. */
async function refuseSameEngine({ starts }: HostSight, address: string): Promise<void> {
  const engine = await starts.engineAt(address);
  for (const { name, address: other } of starts.hosts()) {
    if (other === undefined || (await starts.engineAt(other)) !== engine) continue;
    throw new ForebayError(
      "INVALID_FIELD",
      `address: host ${name} already uses this engine. Give another address.`,
    );
  }
}

/**
 * Drains a host, lets it have new workers again, or gives it other labels. Labels concern new workers only.
 * Throws HOST_NOT_FOUND and CHANGED_MEANWHILE.
 */
export async function updateHost(engine: HostChanges, name: string, changes: HostMembers): Promise<void> {
  const stored = engine.configuration.get("host", name);
  // A configured host has a record from its first change on.
  if (stored === undefined) await hostNamed(engine, name);
  const before: HostRecord = stored ?? { id: name, address: undefined, labels: [], isDraining: false };
  const { isDraining = before.isDraining, labels = before.labels } = changes;
  const after = { ...before, isDraining, labels };
  if (JSON.stringify(after) !== JSON.stringify(before)) await putRecord(engine, "host", after);
}

/** Encrypts the certificates of a host with this name, for its record. */
function sealCertificates(
  { secrets }: WithSecrets,
  host: string,
  { ca, cert, key }: HostCertificates,
): string {
  const text = Buffer.from(JSON.stringify({ ca, cert, key }));
  return Buffer.from(secrets.seal(text, purposeOf("host", host))).toString("base64");
}

/** The certificates of a host; undefined if it has none. Throws UnreadableSecret. */
export function certificatesOf(
  { secrets }: WithSecrets,
  { id, sealed }: HostRecord,
): HostCertificates | undefined {
  if (sealed === undefined) return undefined;
  const text = secrets.open(Buffer.from(sealed, "base64"), purposeOf("host", id));
  return JSON.parse(Buffer.from(text).toString());
}
