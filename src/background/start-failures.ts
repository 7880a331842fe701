import type { LastExit } from "../domain/fleet-report.ts";
import { servingOf } from "../domain/release.ts";
import type { Engine } from "../engine/engine.ts";
import { isOutdated } from "../engine/worker-version.ts";
import { type Backoff, backoffAfter } from "../fleet/backoff.ts";

/** What went wrong with the workers of each endpoint, and how long its next start waits for that. */
export interface StartTroubles {
  /**
   * A worker ended by itself, or could not be started; the answer is what follows from it, nothing where it
   * was of a version that is being replaced.
   */
  add(endpoint: string, exit: LastExit, hasCalled: boolean): Backoff | undefined;
  /** Undefined when nothing stands against a start: the endpoint, or its version, can have changed since. */
  backoff(endpoint: string): Backoff | undefined;
  lastExit(endpoint: string): LastExit | undefined;
  /** A worker has called: more can be started. */
  called(endpoint: string): void;
  /** The endpoint is gone. */
  forget(endpoint: string): void;
  /** Endpoints that wait before the next start, and until when they do. */
  waiting(): ReadonlyMap<string, number>;
}

interface Trouble {
  readonly backoff: Backoff | undefined;
  readonly lastExit: LastExit;
  /** What has failed: the endpoint and its template as they were, and the release. */
  readonly versions: string;
}

/** So many characters of what a worker printed last are kept. */
const KEPT_CHARACTERS = 4_096;

export function startTroubles(engine: Engine): StartTroubles {
  const { configuration, clock } = engine;
  const troubles = new Map<string, Trouble>();

  function versionsOf(endpoint: string): string {
    const { templateId = "" } = configuration.get("endpoint", endpoint) ?? {};
    const said = [configuration.version("endpoint", endpoint), configuration.version("template", templateId)];
    return `${said.join(" ")} ${servingOf(configuration.releases(endpoint))?.number}`;
  }

  function backoffOf(endpoint: string): Backoff | undefined {
    const trouble = troubles.get(endpoint);
    return trouble?.versions === versionsOf(endpoint) ? trouble.backoff : undefined;
  }

  return {
    add(endpoint, exit, hasCalled) {
      const { worker } = exit;
      if (worker !== undefined && isOutdated(engine, endpoint, worker)) return undefined;
      const backoff = backoffAfter(backoffOf(endpoint), hasCalled, exit.at);
      const lastExit = { ...exit, lastLines: lastOf(exit.lastLines) };
      troubles.set(endpoint, { backoff, lastExit, versions: versionsOf(endpoint) });
      return backoff;
    },

    backoff: backoffOf,

    lastExit: (endpoint) => troubles.get(endpoint)?.lastExit,

    called(endpoint) {
      const trouble = troubles.get(endpoint);
      if ((trouble?.backoff?.startUps ?? 0) > 0 && trouble !== undefined) {
        troubles.set(endpoint, { ...trouble, backoff: undefined });
      }
    },

    forget: (endpoint) => void troubles.delete(endpoint),

    waiting() {
      const now = clock.now();
      const until = [...troubles.keys()].map((id) => [id, backoffOf(id)?.until ?? 0] as const);
      return new Map(until.filter(([, at]) => at > now));
    },
  };
}

/** The last of the lines that are not too long together; of one that is, its end. */
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
