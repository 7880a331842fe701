import type { Log, LogFields } from "../../src/domain/log.ts";
import type { Process } from "./agenda.ts";
import type { World } from "./world.ts";

/** What may stand in the log as an error: a fault of the simulation caused it. */
const EXPECTED = /STORAGE_|does not answer|disk is full|SHUTTING_DOWN|The server is stopping/;

/** The log of a server. An error that no simulated fault explains fails the run. */
export class SimulatedLog implements Log {
  readonly #world: World;
  readonly #process: Process;

  constructor(world: World, process: Process) {
    this.#world = world;
    this.#process = process;
  }

  info(message: string): void {
    if (!this.#process.isGone) this.#world.agenda.note(`${this.#process.name} logs ${message}`);
  }

  warn(message: string): void {
    this.info(message);
  }

  error(message: string, fields?: LogFields): void {
    this.info(message);
    const text = JSON.stringify(fields ?? {});
    if (!this.#process.isGone && !EXPECTED.test(text)) this.#world.fail(new Error(`${message}: ${text}`));
  }
}
