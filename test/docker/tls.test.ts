import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Certificate, makeCertificate } from "../support/certificate.ts";
import { DockerHost } from "../support/docker-host.ts";
import { imageEndpoint, startDockerServer } from "../support/docker-server.ts";
import { freePort } from "../support/free-port.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { until } from "../support/until.ts";
import { importTypeScriptImage } from "../support/worker-images.ts";

const LIMIT = 60_000;
const IMAGE = "team/typescript:1";

describe("an engine behind TLS", () => {
  const end = new AsyncDisposableStack();
  let host: DockerHost;
  let directory: string;
  let address: string;
  beforeAll(async () => {
    directory = end.use(await temporaryDirectory()).path;
    const ours = authority("Forebay tests");
    await writeFiles("engine", ours, signedBy(ours, "engine"));
    await writeFiles("known", ours, signedBy(ours, "forebay"));
    const others = authority("somebody else");
    await writeFiles("unknown", ours, signedBy(others, "forebay"));
    await writeFiles("mistrusting", others, signedBy(ours, "forebay"));
    const port = await freePort();
    address = `tcp://127.0.0.1:${port}`;
    const [ca, cert, key] = ["ca", "cert", "key"].map((name) => join(directory, "engine", `${name}.pem`));
    const tls = ["--tlsverify", `--tlscacert=${ca}`, `--tlscert=${cert}`, `--tlskey=${key}`];
    host = await DockerHost.start("docker", ["-H", address, ...tls]);
    end.defer(() => host.stop());
    await importTypeScriptImage(host, IMAGE);
  });
  afterAll(() => end.disposeAsync());

  interface Authority extends Certificate {
    readonly name: string;
  }

  function authority(name: string): Authority {
    return { name, ...makeCertificate({ subject: name, isAuthority: true }) };
  }

  function signedBy(issuer: Authority, subject: string): Certificate {
    return makeCertificate({ subject, issuer, addresses: ["127.0.0.1"] });
  }

  /** As the `docker` command has them. */
  async function writeFiles(name: string, { cert: ca }: Certificate, { cert, key }: Certificate) {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, "ca.pem"), ca);
    await writeFile(join(directory, name, "cert.pem"), cert);
    await writeFile(join(directory, name, "key.pem"), key);
  }

  const serverWith = (files: string | undefined) =>
    startDockerServer(host, {
      "docker-host": address,
      ...(files === undefined ? {} : { "docker-tls": join(directory, files) }),
    });

  test("a job runs in a container of it, and none is left", async () => {
    await using end = new AsyncDisposableStack();
    const server = end.adopt(await serverWith("known"), (started) => started.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1, idleTimeout: 1 });
    const { status } = await server.ended(endpoint, await server.run(endpoint));
    expect(status).toBe("COMPLETED");
    await until("no container is left", async () => (await host.containers()).length === 0, LIMIT);
  });

  test.each([
    ["a certificate that the engine does not know", "unknown", "it cannot be reached"],
    ["an authority that did not sign the engine's", "mistrusting", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["no certificate", undefined, "Client sent an HTTP request to an HTTPS server"],
  ])("with %s no worker starts, and the reason is told", async (_, files, reason) => {
    await using end = new AsyncDisposableStack();
    const server = end.adopt(await serverWith(files), (started) => started.stop());
    const endpoint = await imageEndpoint(server, IMAGE, { workersMax: 1 });
    await server.run(endpoint);
    const told = await until("it is told", () => server.logged("a host does not answer")[0], LIMIT);
    expect(told["reason"]).toContain(reason);
    expect(await host.containers()).toEqual([]);
  });
});
