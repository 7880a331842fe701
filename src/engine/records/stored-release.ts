import type { LastExit } from "../../domain/fleet-report.ts";
import type { Release, ReleaseMembers } from "../../domain/release.ts";
import type { Engine } from "../engine.ts";
import { purposeOf } from "../purpose-of.ts";

/** A release as its record holds it; what can hold secrets lies there sealed, as base64. */
export interface StoredRelease extends Release, Omit<ReleaseMembers, "env"> {
  /** `<endpoint>.<number>`: of servers that make the same one at the same time one succeeds. */
  readonly id: string;
  readonly account: string;
  readonly endpoint: string;
  /** JSON of `SealedPart`. */
  readonly sealed: string;
}

interface SealedPart {
  readonly env: ReleaseMembers["env"];
  /** Fingerprint of what template and endpoint said when it was made; a digest of secrets is one, too. */
  readonly source: string;
  /** What the worker printed last whose failed start stopped it. */
  readonly lastLines?: readonly string[];
}

/** What a release is made of. */
export interface NewRelease {
  readonly account: string;
  readonly endpoint: string;
  readonly release: Release;
  readonly members: ReleaseMembers;
  readonly source: string;
}

export function sealRelease(engine: Engine, made: NewRelease): StoredRelease {
  const { account, endpoint, release, source } = made;
  const { env, ...members } = made.members;
  const id = `${endpoint}.${release.number}`;
  return { ...release, ...members, id, account, endpoint, sealed: sealedPart(engine, id, { env, source }) };
}

/** The release, stopped because of this start that failed. */
export function sealStopped(engine: Engine, release: StoredRelease, exit: LastExit): StoredRelease {
  const { lastLines, ...told } = exit;
  const sealed = sealedPart(engine, release.id, { ...opened(engine, release), lastLines });
  return { ...release, stopped: { ...told, stoppedAt: engine.clock.now() }, sealed };
}

/** What the worker printed last whose failed start stopped the release. */
export function lastLinesIn(engine: Engine, release: StoredRelease): readonly string[] {
  return opened(engine, release).lastLines ?? [];
}

function sealedPart(engine: Engine, id: string, part: SealedPart): string {
  const sealed = engine.secrets.seal(Buffer.from(JSON.stringify(part)), purposeOf("release", id));
  return Buffer.from(sealed).toString("base64");
}

/** What the workers of the release start from. */
export function releaseMembersIn(engine: Engine, release: StoredRelease): ReleaseMembers {
  const { imageName, containerRegistryAuthId, dockerEntrypoint, dockerStartCmd, ports } = release;
  const { containerDiskInGb, volumeInGb, volumeMountPath, gpus, cores } = release;
  const { env } = opened(engine, release);
  const program = { imageName, containerRegistryAuthId, dockerEntrypoint, dockerStartCmd, env, ports };
  return { ...program, containerDiskInGb, volumeInGb, volumeMountPath, gpus, cores };
}

const sources = new WeakMap<StoredRelease, string>();

/** The fingerprint of what template and endpoint said when the release was made. */
export function sourceIn(engine: Engine, release: StoredRelease): string {
  const source = sources.get(release) ?? opened(engine, release).source;
  sources.set(release, source);
  return source;
}

function opened(engine: Engine, { id, sealed }: StoredRelease): SealedPart {
  const bytes = engine.secrets.open(Buffer.from(sealed, "base64"), purposeOf("release", id));
  return JSON.parse(Buffer.from(bytes).toString());
}
