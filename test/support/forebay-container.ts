import type { BuiltImage, Ended } from "./built-image.ts";
import { freePort } from "./free-port.ts";
import { TestClient } from "./test-client.ts";
import { until } from "./until.ts";

/** How long a start may take, ms. */
const READY_LIMIT = 30_000;

/** A container of the image, and a client of its server with the key that it printed. */
export class ForebayContainer extends TestClient implements AsyncDisposable {
  readonly name = `forebay-${crypto.randomUUID().slice(0, 8)}`;
  readonly url: string;
  readonly #image: BuiltImage;

  private constructor(image: BuiltImage, port: number) {
    super();
    this.#image = image;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** With further flags of `docker run`. It need not become ready. */
  static async run(image: BuiltImage, ...flags: string[]): Promise<ForebayContainer> {
    const port = await freePort();
    const container = new ForebayContainer(image, port);
    const own = ["--detach", "--name", container.name, "--network", "test", "--health-interval", "1s"];
    const published = ["--publish", `127.0.0.1:${port}:8000`];
    const { status, stderr } = await image.docker("run", ...own, ...published, ...flags, "forebay");
    if (status !== 0) throw new Error(stderr);
    return container;
  }

  /** A command of Docker whose last word before `words` is this container. */
  docker(command: string, ...words: string[]): Promise<Ended> {
    return this.#image.docker(...command.split(" "), this.name, ...words);
  }

  async inspected(format: string): Promise<string> {
    return (await this.#image.docker("inspect", "--format", format, this.name)).stdout.trim();
  }

  /** What it has printed, on both its outputs. */
  async printed(): Promise<string> {
    const { stdout, stderr } = await this.docker("logs");
    return stdout + stderr;
  }

  async healthy(): Promise<void> {
    await until(
      "the container is healthy",
      async () => {
        if ((await this.inspected("{{.State.Running}}")) !== "true") throw new Error(await this.printed());
        return (await this.inspected("{{.State.Health.Status}}")) === "healthy";
      },
      READY_LIMIT,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.docker("rm --force --volumes");
  }
}
