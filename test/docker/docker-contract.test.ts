import { afterAll, beforeAll } from "bun:test";
import { providerContract } from "../fleet/provider-contract.ts";
import { DockerHost } from "../support/docker-host.ts";
import { importShellImage } from "../support/worker-images.ts";
import { contractOn } from "./contract-on.ts";

let host: DockerHost;
beforeAll(async () => {
  host = await DockerHost.start();
  await importShellImage(host, "shell:1");
});
afterAll(() => host.stop());

providerContract("docker", (log, output) => contractOn(host, "shell:1", log, output, true));
