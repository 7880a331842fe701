import { type Config, loadConfig } from "../../config.ts";
import { CommandFault } from "../command-fault.ts";

/** A receiver of webhooks that is being written runs on this machine. */
const LOOPBACK = "127.0.0.0/8,::1";

/**
 * The configuration of `forebay dev`; without a `port` it has that of the environment, or 8000. Throws
 * CommandFault.
 */
export function devConfig(port: string | undefined, env: NodeJS.ProcessEnv): Config {
  const flags = { data: ":memory:", demo: "false", ...(port === undefined ? {} : { port }) };
  const allowed = env["FOREBAY_WEBHOOK_ALLOW"] ?? "";
  try {
    return loadConfig(flags, {
      // Nobody wants to wait long for an old worker.
      FOREBAY_DRAIN_GRACE_MS: "2000",
      ...env,
      FOREBAY_WEBHOOK_ALLOW: allowed.trim() === "" ? LOOPBACK : `${LOOPBACK},${allowed}`,
    });
  } catch (error) {
    throw new CommandFault(error instanceof Error ? error.message : String(error));
  }
}
