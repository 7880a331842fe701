import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProcessProvider } from "../../src/fleet/process/process-provider.ts";
import type { Provider } from "../../src/fleet/provider.ts";
import { systemClock, thisMachine } from "../../src/host/system-clock.ts";
import { until } from "../support/until.ts";
import { providerContract, SCRIPTS } from "./provider-contract.ts";

providerContract("process", async (log, output) => {
  const root = mkdtempSync(join(tmpdir(), "forebay-contract-"));
  const directory = join(root, "workers");
  const commands = new Map(Object.entries(SCRIPTS).map(([name, script]) => [name, ["sh", "-c", script]]));
  const open = (): Promise<Provider> =>
    openProcessProvider({
      directory,
      commands,
      operatorEnvironment: process.env,
      boot: thisMachine.uptime()?.boot,
      clock: systemClock(),
      log,
      output,
    });
  return {
    provider: await open(),
    runs: (script) => ({ imageName: `process/${script}` }),
    reopen: open,
    readsOn: false,
    async close() {
      const isCleared = (): boolean => !existsSync(directory) || readdirSync(directory).length === 0;
      await until("all directories are gone", isCleared);
      rmSync(root, { recursive: true });
    },
  };
});
