import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Finding } from "../../src/doctor/finding.ts";
import { DockerHost } from "../support/docker-host.ts";
import { ForebayCommand } from "../support/forebay-command.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

/** What `forebay doctor` says of an engine; `name` is how it names it. */
export function doctorOn(engine: "docker" | "podman", name: string): void {
  describe(`forebay doctor on ${engine}`, () => {
    let host: DockerHost;
    beforeAll(async () => {
      host = await DockerHost.start(engine);
    });
    afterAll(() => host.stop());

    async function providers(): Promise<string[]> {
      await using directory = await temporaryDirectory();
      const args = ["--data", join(directory.path, "data"), "--docker-host", host.url, "--port", "0"];
      const { stdout } = await new ForebayCommand(["doctor", ...args, "--json"]).ended();
      const { findings }: { findings: Finding[] } = JSON.parse(stdout);
      return findings
        .filter(({ part }) => part === "providers")
        .map(({ state, says, mend }) => `${state} ${says}${mend === undefined ? "" : ` — ${mend}`}`);
    }

    test("an engine that answers is named with its versions; one that is gone is a fault", async () => {
      const [version, info] = [await host.ask("GET", "/version"), await host.ask("GET", "/info")];
      const { Version, ApiVersion } = version.json;
      const { CgroupVersion, MemoryLimit } = info.json;
      const said = `${host.url}: ${name} ${Version}, API ${ApiVersion}, cgroup ${CgroupVersion}`;
      expect((await providers()).at(-1)).toBe(
        MemoryLimit
          ? `ok ${said}`
          : `warn ${said}; it cannot limit the memory of containers — ` +
              "Enable the memory controller of its cgroups.",
      );
      await host.kill();
      expect((await providers()).at(-1)).toMatch(
        /^fault unix:\S+ .*it cannot be reached.* — Start the engine/,
      );
    });
  });
}
