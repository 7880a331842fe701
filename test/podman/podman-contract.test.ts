import { afterAll, beforeAll } from "bun:test";
import { contractOn } from "../docker/contract-on.ts";
import { providerContract } from "../fleet/provider-contract.ts";
import { DockerHost } from "../support/docker-host.ts";
import { importShellImage } from "../support/worker-images.ts";

let host: DockerHost;
beforeAll(async () => {
  host = await DockerHost.start("podman");
  await importShellImage(host, "localhost/shell:1");
});
afterAll(() => host.stop());

providerContract("podman", (log, output) => contractOn(host, "localhost/shell:1", log, output, false));
