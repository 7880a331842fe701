import { CONFIG_ROWS } from "../config/rows.ts";
import { type Config, type ConfigKey, IN_MEMORY } from "../config/config.ts";
import { fault, type Finding, ok, warn } from "./finding.ts";

const PART = "configuration";

/** Variables of Forebay that are not settings of the server. */
const OTHERS =
  /^FOREBAY_(URL|KEY|EXCHANGE_URL|WORKER_TOKEN|WORKER_QUIET|LOG_LEVEL|PROTOCOL|JOB_ID|INPUT_FILE|TEST_.*)$/;

/** The settings as they were read. */
export interface ReadSettings {
  readonly config: Config;
  /** What is wrong with single settings, a sentence each; these have their defaults in `config`. */
  readonly faults: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** Checks each setting, and finds settings that contradict each other. */
export function checkConfiguration({ config, faults, env }: ReadSettings): Finding[] {
  const found = [
    ...faults.map((sentence) => fault(PART, sentence, "Fix it: docs/configuration.md lists all settings.")),
    ...conflicts(config),
    ...Object.keys(env).filter(isUnknown).map(unknownFinding),
  ];
  return found.length > 0 ? found : [ok(PART, `${Object.keys(CONFIG_ROWS).length} settings are valid`)];
}

function isUnknown(name: string): boolean {
  const isOurs = name.startsWith("FOREBAY_") && !OTHERS.test(name);
  return isOurs && !Object.values(CONFIG_ROWS).some(({ env }) => env === name);
}

function unknownFinding(name: string): Finding {
  return warn(PART, `${name} is set, but is not a setting`, "Fix its name, or remove it.");
}

function conflicts(config: Config): Finding[] {
  const found: Finding[] = [];
  if (config.workerLease <= config.pingInterval) {
    const lease = `${envOf("workerLease")} is ${config.workerLease}`;
    const both = `${lease}, ${envOf("pingInterval")} ${config.pingInterval}`;
    found.push(
      fault(
        PART,
        `${both}: workers count as lost between two pings`,
        "Set the lease to three pings or more.",
      ),
    );
  }
  if (config.secretKey === "" && config.secretKeyPrevious !== "") {
    const said = `${envOf("secretKeyPrevious")} is set, and ${envOf("secretKey")} is not`;
    found.push(fault(PART, said, "Set both, or write the keys into the key file, the newest first."));
  }
  if (config.secretKey !== "" && config.secretKeyFile !== "")
    found.push(idle("secretKeyFile", "secretKey is set"));
  if (config.databaseUrl === "" && config.databaseListenUrl !== "") {
    found.push(idle("databaseListenUrl", "there is no database"));
  }
  if (config.dockerHost === "" && config.dockerTls !== "")
    found.push(idle("dockerTls", "there is no Docker host"));
  if (/^(unix|ssh):/.test(config.dockerHost) && config.dockerTls !== "") {
    found.push(idle("dockerTls", "only an engine on tcp:// uses TLS"));
  }
  if (config.dockerHost === "" && config.dockerGpus !== "")
    found.push(idle("dockerGpus", "there is no Docker host"));
  if (config.dockerHost !== "" && config.publicUrl === "" && config.dockerNetwork !== "host") {
    const said = `containers call the server at ${envOf("publicUrl")}, which is not set`;
    found.push(warn(PART, said, "Set it, for example http://host.docker.internal:8000."));
  }
  if (config.data === IN_MEMORY && config.databaseUrl === "") {
    found.push(
      warn(
        PART,
        "the data is only in memory and is lost when the server stops",
        "Name a directory with --data.",
      ),
    );
  }
  return found;
}

function idle(key: ConfigKey, why: string): Finding {
  return warn(PART, `${envOf(key)} has no effect: ${why}`, "Remove it.");
}

function envOf(key: ConfigKey): string {
  return CONFIG_ROWS[key].env;
}
