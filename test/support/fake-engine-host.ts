import { type Host, localHost } from "../../src/fleet/hosts.ts";
import { type Provider, ProviderAway, StartFault, type WorkerExit } from "../../src/fleet/provider.ts";
import { cardsOf } from "./gpu-inventories.ts";

/** A host with an engine that the test can take away. Its workers run until they are stopped. */
export class FakeEngineHost {
  readonly running = new Set<string>();
  readonly images = new Set<string>();
  readonly host: Host;
  isAway = false;
  /** It takes calls, and answers none until it comes back. */
  isSlow = false;
  isClosed = false;
  #onExit: (exit: WorkerExit) => void = () => undefined;
  #onReturn: (() => void)[] = [];

  constructor(name: string, cards = 4) {
    const gpus = cardsOf(cards, "NVIDIA L40S", `GPU-${name}`);
    const machine = localHost(this.#provider(), { gpus: () => gpus });
    this.host = { ...machine, name, address: `tcp://${name}:2376` };
  }

  comeBack(): void {
    this.isAway = false;
    this.isSlow = false;
    for (const goOn of this.#onReturn.splice(0)) goOn();
  }

  #answer(): void {
    if (this.isAway) throw new ProviderAway("Docker does not answer: it cannot be reached.");
  }

  #provider(): Provider {
    return {
      name: "docker",
      outlivesServer: true,
      refusal: () => undefined,
      hasImage: async (imageName) => this.images.has(imageName),
      start: async (order) => {
        if (this.isAway) throw new StartFault("Docker cannot start the container: it cannot be reached.");
        this.running.add(order.worker);
        return { pinnedImage: undefined };
      },
      stop: async (worker) => {
        while (this.isAway && !this.isClosed) {
          await new Promise<void>((resolve) => this.#onReturn.push(resolve));
        }
        if (this.isClosed) return;
        if (this.running.delete(worker)) this.#onExit({ worker, how: "exit code 0", lastLines: [] });
      },
      list: async () => {
        if (this.isSlow) await new Promise<void>((resolve) => this.#onReturn.push(resolve));
        this.#answer();
        return [...this.running];
      },
      onExit: (listener) => {
        this.#onExit = listener;
      },
      kept: async () => [],
      forget: async () => undefined,
      close: async () => {
        this.isClosed = true;
        for (const goOn of this.#onReturn.splice(0)) goOn();
      },
    };
  }
}
