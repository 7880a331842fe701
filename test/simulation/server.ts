import type { Clock } from "../../src/domain/clock.ts";
import { atStop, inTime } from "../../src/background/at-stop.ts";
import { writeKeyUses } from "../../src/engine/records/key-uses.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { stopEngine } from "../../src/engine/create-engine.ts";
import type { Store } from "../../src/store/store.ts";
import { newProcess, type Process } from "./agenda.ts";
import { type CrashPoint, faultyStore } from "./faulty-store.ts";
import { type Incarnation, startIncarnation } from "./incarnation.ts";
import type { Connection, Listener } from "./network.ts";
import { serveRequest } from "./served.ts";
import { SimulatedLog } from "./simulated-log.ts";
import type { World } from "./world.ts";

/** What a server works on, opened anew at each start. */
export interface OpenedStore {
  readonly store: Store;
  /** The process has ended: what was in flight is dropped, and nothing more is heard or written. */
  readonly crash: () => void;
  readonly clock: Clock;
  readonly steer: (now: number) => void;
}

/** How long each part of a stop may take, ms, as in `src/main.ts`. */
const STOP_LIMITS = { letGo: 400, answers: 3_000, last: 400, store: 1_000 };

/** Ends a commit at which a server crashes. */
export class CrashedInside extends Error {}

/** One server of the simulation, over all its starts. */
export class SimulatedServer implements Listener {
  readonly name: string;
  process: Process;
  upSince = Infinity;
  #opened: OpenedStore | undefined;
  #incarnation: Incarnation | undefined;
  #isListening = false;
  #connections = new Map<Connection, number>();
  #crashPoint: { readonly point: CrashPoint; readonly downtime: number } | undefined;
  #starts = 0;

  readonly #world: World;

  constructor(world: World, name: string) {
    this.#world = world;
    this.name = name;
    this.process = newProcess(name);
    this.process.isGone = true;
  }

  get isUp(): boolean {
    return this.#isListening;
  }

  get isRunning(): boolean {
    return !this.process.isGone;
  }

  get engine(): Engine {
    if (this.#incarnation === undefined) throw new Error(`${this.name} does not run`);
    return this.#incarnation.engine;
  }

  callsOpenSince(time: number): string[] {
    return [...this.#connections].flatMap(([{ request }, since]) => (since < time ? [request.url] : []));
  }

  async start(): Promise<void> {
    if (this.isRunning) return;
    const { name } = this;
    const world = this.#world;
    const process = newProcess(name);
    this.process = process;
    const opened = await world.openStore(name, process, (mark) => this.#marked(mark));
    if (process.isGone) return;
    this.#opened = opened;
    const store = faultyStore(opened.store, {
      process,
      weather: world.weather,
      running: () => world.running(process),
      applying: (steps) => world.invariants.applying(steps, world.agenda.now),
      purged: ({ endpoint }, ids) => world.invariants.purged(endpoint, ids),
      reached: (point) => this.#reached(point),
    });
    try {
      this.#incarnation = await startIncarnation({
        server: name,
        store,
        clock: opened.clock,
        steer: opened.steer,
        log: new SimulatedLog(world, process),
        outbound: world.receivers.outbound(process),
        random: world.stream(`${name} start ${++this.#starts}`),
      });
    } catch (error) {
      // A database that does not answer: the service manager starts it again.
      world.agenda.note(`${name} cannot start: ${String(error)}`);
      world.expected(error);
      this.#end(world.random.between(500, 2_000));
      return;
    }
    if (process.isGone) return;
    this.#isListening = true;
    this.upSince = world.agenda.now;
    world.agenda.note(`${name} is up`);
  }

  accept(connection: Connection): boolean {
    const incarnation = this.#incarnation;
    if (!this.#isListening || incarnation === undefined) return false;
    const { process } = this;
    this.#connections.set(connection, this.#world.agenda.now);
    const log = new SimulatedLog(this.#world, process);
    const own: Connection = {
      request: connection.request,
      answer: (response) => {
        if (process.isGone) return;
        this.#connections.delete(connection);
        connection.answer(response);
      },
      breakOff: () => {
        if (process.isGone) return;
        this.#connections.delete(connection);
        connection.breakOff();
      },
    };
    void serveRequest(incarnation.router, log, own).catch((error: unknown) => this.#world.fail(error));
    return true;
  }

  /** The next commit crashes the server at this point. */
  crashAt(point: CrashPoint, downtime: number): void {
    if (this.#isListening) this.#crashPoint = { point, downtime };
  }

  #reached(point: CrashPoint): boolean {
    if (this.#crashPoint?.point !== point) return false;
    this.#world.tally.add(`fault crash ${point}`);
    this.crash(this.#crashPoint.downtime);
    return true;
  }

  /** The store commits. What is thrown here ends the commit, as the end of the process does. */
  #marked(mark: "begin" | "end"): void {
    const point = mark === "begin" ? "inside commit" : "after commit";
    if (!this.#reached(point)) return;
    // A transaction is there as a whole, or not at all.
    if (mark === "begin") this.#world.database.journal.undoTo(0);
    throw new CrashedInside();
  }

  crash(downtime: number): void {
    if (!this.isRunning) return;
    this.#world.agenda.note(`${this.name} crashes`);
    this.#end(downtime);
  }

  pause(ms: number): boolean {
    if (!this.#isListening) return false;
    this.process.pausedUntil = this.#world.agenda.now + ms;
    return true;
  }

  async stop(downtime: number): Promise<boolean> {
    const incarnation = this.#incarnation;
    if (!this.#isListening || incarnation === undefined) return false;
    const { engine, leader, webhooks, running } = incarnation;
    const { process } = this;
    const { log } = engine;
    this.upSince = Infinity;
    stopEngine(engine);
    await running.stop();
    const letGo = [
      atStop(log, "uses of keys", writeKeyUses(engine)),
      atStop(log, "background jobs", leader.resign()),
    ];
    await inTime(engine, "what other servers need", STOP_LIMITS.letGo, Promise.all(letGo));
    await inTime(engine, "webhooks", STOP_LIMITS.answers, atStop(log, "webhooks", webhooks.stop()));
    this.#isListening = false;
    await inTime(engine, "answers", STOP_LIMITS.answers, this.#answered(process));
    const last = [
      atStop(log, "statistics", engine.statistics.flush()),
      ...(engine.peers === undefined ? [] : [atStop(log, "peers", engine.peers.leave())]),
    ];
    await inTime(engine, "statistics", STOP_LIMITS.last, Promise.all(last));
    await inTime(engine, "store", STOP_LIMITS.store, engine.store.close());
    if (!process.isGone) this.#end(downtime);
    return true;
  }

  async #answered(process: Process): Promise<void> {
    while (this.#connections.size > 0) await this.#world.agenda.sleep(50, process, "waits for answers");
  }

  #end(downtime: number): void {
    const { process } = this;
    const world = this.#world;
    this.#isListening = false;
    this.upSince = Infinity;
    process.isGone = true;
    this.#opened?.crash();
    this.#opened = undefined;
    this.#incarnation = undefined;
    this.#crashPoint = undefined;
    const open = this.#connections;
    this.#connections = new Map();
    for (const connection of open.keys()) connection.breakOff();
    world.agenda.after(downtime, world.process, `starts ${this.name}`, () => {
      void this.start().catch((error: unknown) => world.fail(error));
    });
  }
}
