import type { LastExit } from "../../domain/fleet-report.ts";
import type { Release, ReleaseMembers } from "../../domain/release.ts";
import type { Clock } from "../../domain/clock.ts";
import { purposeOf, type WithSecrets } from "../secret-box.ts";
import type { StoredRelease } from "./record-bodies.ts";
import { effectOf, type ReleaseSources } from "./release-source.ts";

interface SealedPart {
  readonly env: ReleaseMembers["env"];
  /**
   * Fingerprint of template and endpoint when the release was created. It is a secret, because it is a digest
   * of secrets.
   */
  readonly source: string;
  /** Fingerprint of what a worker starts from; undefined in older releases. */
  readonly effect: string | undefined;
  /** The last output of the worker whose failed start stopped the release. */
  readonly lastLines?: readonly string[];
}

/** What a release is created from. */
export interface NewRelease {
  readonly account: string;
  readonly endpoint: string;
  readonly release: Release;
  readonly members: ReleaseMembers;
  readonly source: string;
  readonly effect: string | undefined;
}

export function sealRelease(engine: WithSecrets, made: NewRelease): StoredRelease {
  const { account, endpoint, release, source, effect } = made;
  const { env, ...members } = made.members;
  const id = `${endpoint}.${release.number}`;
  const sealed = sealedPart(engine, id, { env, source, effect });
  return { ...release, ...members, id, account, endpoint, sealed };
}

/** The release, stopped because of this failed start. */
export function sealStopped(
  engine: WithSecrets & { readonly clock: Clock },
  release: StoredRelease,
  exit: LastExit,
): StoredRelease {
  const { lastLines, ...told } = exit;
  const sealed = sealedPart(engine, release.id, { ...opened(engine, release), lastLines });
  return { ...release, stopped: { ...told, stoppedAt: engine.clock.now() }, sealed };
}

/** The last output of the worker whose failed start stopped the release. */
export function lastLinesIn(engine: WithSecrets, release: StoredRelease): readonly string[] {
  return opened(engine, release).lastLines ?? [];
}

function sealedPart(engine: WithSecrets, id: string, part: SealedPart): string {
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(part)), purposeOf("release", id));
  return Buffer.from(sealed).toString("base64");
}

/** What the workers of the release start from. */
export function releaseMembersIn(engine: WithSecrets, release: StoredRelease): ReleaseMembers {
  const { imageName, containerRegistryAuthId, dockerEntrypoint, dockerStartCmd, ports } = release;
  const { containerDiskInGb, volumeInGb, volumeMountPath, gpus, cores, shmSizeInMb, hostLabel } = release;
  const { env } = opened(engine, release);
  const program = { imageName, containerRegistryAuthId, dockerEntrypoint, dockerStartCmd, env, ports };
  const machine = { gpus, cores, shmSizeInMb, hostLabel };
  return { ...program, containerDiskInGb, volumeInGb, volumeMountPath, ...machine };
}

const fingerprints = new WeakMap<StoredRelease, FingerprintOfRelease>();

type FingerprintOfRelease = Pick<SealedPart, "source" | "effect">;

/** The fingerprint of template and endpoint when the release was created. */
export function fingerprintIn(engine: ReleaseSources, release: StoredRelease): FingerprintOfRelease {
  const known = fingerprints.get(release);
  if (known !== undefined) return known;
  const { source, effect } = opened(engine, release);
  // A rollback was created from an earlier version, so its members do not say this.
  const isOfMembers = effect === undefined && release.rollbackTo === undefined;
  const told = isOfMembers ? effectOf(engine, releaseMembersIn(engine, release)) : effect;
  const fingerprint = { source, effect: told };
  fingerprints.set(release, fingerprint);
  return fingerprint;
}

function opened(engine: WithSecrets, { id, sealed }: StoredRelease): SealedPart {
  const bytes = engine.secrets.open(Buffer.from(sealed, "base64"), purposeOf("release", id));
  return JSON.parse(Buffer.from(bytes).toString());
}
