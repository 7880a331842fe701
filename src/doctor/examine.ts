import { checkClock } from "./check-clock.ts";
import { checkConfiguration, type ReadSettings } from "./check-configuration.ts";
import { checkData } from "./check-data.ts";
import { checkGpus } from "./check-gpus.ts";
import { checkKeys } from "./check-keys.ts";
import { checkLimits } from "./check-limits.ts";
import { checkPayloads } from "./check-payloads.ts";
import { checkPort } from "./check-port.ts";
import { checkProviders } from "./check-providers.ts";
import { checkServer, type ServerAddress } from "./check-server.ts";
import { checkStore } from "./check-store.ts";
import { checkVersions } from "./check-versions.ts";
import type { Finding } from "./finding.ts";

interface DoctorOptions extends ReadSettings {
  /** A running server to check; undefined: none. */
  readonly server: ServerAddress | undefined;
  /** Whether to look at the GPUs. That starts containers. */
  readonly looksAtGpus: boolean;
}

/** Checks everything that a server needs, part by part, and changes nothing but what `checkGpus` does. */
export async function* examine(options: DoctorOptions): AsyncGenerator<Finding> {
  const { config, server } = options;
  yield* checkConfiguration(options);
  yield* await checkData(config);
  yield* await checkKeys(config);
  yield* await checkStore(config);
  yield* checkPayloads(config);
  yield* await checkClock(config);
  yield* await checkProviders(config);
  if (options.looksAtGpus) yield* await checkGpus(config);
  yield* await checkPort(config);
  yield* await checkLimits(config);
  yield* checkVersions();
  if (server !== undefined) yield* await checkServer(server);
}
