import type { LastExit } from "../domain/fleet-report.ts";
import { servingOf } from "../domain/release.ts";
import type { Engine } from "../engine/engine.ts";
import { isOfOtherVersion, isOutdated } from "../engine/take-step.ts";
import { type Backoff, backoffAfter } from "../fleet/backoff.ts";

/** What went wrong with the workers of each endpoint, and how long its next start waits because of that. */
export interface StartFailures {
  /**
   * A worker ended by itself, or could not be started. Answers the backoff that follows; undefined if there
   * is none, or if a release replaces the version of the worker.
   */
  add(endpoint: string, exit: LastExit, hasCalled: boolean): Backoff | undefined;
  /** Undefined if a start need not wait, also because the endpoint or its version has changed. */
  backoff(endpoint: string): Backoff | undefined;
  lastExit(endpoint: string): LastExit | undefined;
  /** A worker has called: more workers can be started. */
  called(endpoint: string): void;
  /** The endpoint was deleted. */
  forget(endpoint: string): void;
  /** Endpoints whose next start waits, and until when. */
  waiting(): ReadonlyMap<string, number>;
}

interface Failure {
  readonly backoff: Backoff | undefined;
  readonly lastExit: LastExit;
  /** What has failed: the versions of the endpoint and its template, and the release. */
  readonly versions: string;
}

/** How many characters of the last output of a worker are kept. */
const KEPT_CHARACTERS = 4_096;

export function startFailures(engine: Engine): StartFailures {
  const { configuration, clock } = engine;
  const failures = new Map<string, Failure>();

  function versionsOf(endpoint: string): string {
    const { templateId = "" } = configuration.get("endpoint", endpoint) ?? {};
    const records = [
      configuration.version("endpoint", endpoint),
      configuration.version("template", templateId),
    ];
    return `${records.join(" ")} ${servingOf(configuration.releases(endpoint))?.number}`;
  }

  function backoffOf(endpoint: string): Backoff | undefined {
    const failure = failures.get(endpoint);
    return failure?.versions === versionsOf(endpoint) ? failure.backoff : undefined;
  }

  return {
    add(endpoint, exit, hasCalled) {
      const { worker } = exit;
      if (worker !== undefined && isOutdated(engine, endpoint, worker)) return undefined;
      const backoff = backoffAfter(backoffOf(endpoint), hasCalled, exit.at);
      const lastExit = { ...exit, lastLines: lastOf(exit.lastLines) };
      failures.set(endpoint, { backoff, lastExit, versions: versionsOf(endpoint) });
      return backoff;
    },

    backoff: backoffOf,

    lastExit: (endpoint) => failures.get(endpoint)?.lastExit,

    called(endpoint) {
      const failure = failures.get(endpoint);
      if ((failure?.backoff?.startUps ?? 0) > 0 && failure !== undefined) {
        failures.set(endpoint, { ...failure, backoff: undefined });
      }
    },

    forget: (endpoint) => void failures.delete(endpoint),

    waiting() {
      const now = clock.now();
      const until = [...failures.keys()].map((id) => [id, backoffOf(id)?.until ?? 0] as const);
      return new Map(until.filter(([, at]) => at > now));
    },
  };
}

/** The failures of both versions that start workers while a release is paused. */
export interface FailuresByVersion {
  readonly newest: StartFailures;
  /** Of the version that served before. */
  readonly earlier: StartFailures;
  /** Those of the version of this worker. */
  of(endpoint: string, worker: string): StartFailures;
  /** Endpoints whose next start waits, and until when. */
  waiting(): ReadonlyMap<string, number>;
}

export function failuresByVersion(engine: Engine): FailuresByVersion {
  const newest = startFailures(engine);
  const earlier = startFailures(engine);
  return {
    newest,
    earlier,
    of: (endpoint, worker) => (isOfOtherVersion(engine, endpoint, worker) ? earlier : newest),

    waiting() {
      const [first, second] = [newest.waiting(), earlier.waiting()];
      const both = [...first].map(([id, at]) => [id, Math.min(at, second.get(id) ?? at)] as const);
      return new Map([...second, ...both]);
    },
  };
}

/** The last lines, at most `KEPT_CHARACTERS` together. The first one is shortened at its beginning. */
function lastOf(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = KEPT_CHARACTERS;
  for (const line of lines.toReversed()) {
    if (left === 0) break;
    kept.unshift(line.slice(-left));
    left -= Math.min(line.length, left);
  }
  return kept;
}
