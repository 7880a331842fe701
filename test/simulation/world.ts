import { ForebayError } from "../../src/domain/errors.ts";
import type { MemoryJob } from "../../src/store/memory/memory-job.ts";
import { newMemoryDatabase } from "../../src/store/memory/memory-database.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { steeredClock } from "../../src/host/system-clock.ts";
import { Agenda, newProcess, type Process, turn } from "./agenda.ts";
import { machineClock } from "./clocks.ts";
import { History } from "./history.ts";
import { Invariants } from "./invariants.ts";
import { Network, type Outcome, type SimulatedRequest } from "./network.ts";
import { type Random, random } from "./random.ts";
import { Receivers } from "./receivers.ts";
import { Runs } from "./runs.ts";
import { CrashedInside, type OpenedStore, SimulatedServer } from "./server.ts";
import { Streams } from "./streams.ts";
import { Tally } from "./tally.ts";
import { UntoldStops } from "./untold-stops.ts";
import { Weather } from "./weather.ts";
import type { SimulatedWorker } from "./worker.ts";

/** The time at which each world begins. */
export const BEGINNING = 1_800_000_000_000;

/** A commit takes so long at most, ms. */
const SLOWEST_COMMIT = 3;

/** Polls for jobs are held for 20 s. */
const LONGEST_CALL = 25_000;

/** Machines run too fast or too slow by so many parts of a thousand at most. */
const DRIFT = 2;

/** All parts of one simulation: a database, servers on it, and the wires between them and everybody else. */
export class World {
  readonly agenda = new Agenda(BEGINNING);
  readonly tally = new Tally();
  readonly random: Random;
  readonly process = newProcess("world");
  readonly database = newMemoryDatabase();
  readonly weather: Weather;
  readonly network: Network;
  readonly receivers: Receivers;
  readonly history: History;
  readonly invariants: Invariants;
  readonly servers: readonly SimulatedServer[];
  readonly untoldStops: UntoldStops;
  readonly runs: Runs;
  readonly streams = new Streams();
  workers: readonly SimulatedWorker[] = [];
  /** The first thing that went wrong. */
  failure: Error | undefined;
  /** Of clients. */
  commandsUnderWay = 0;
  /** When the next look is due at what should have happened by now. */
  nextLook = 0;
  /** How far the wall clock of the database is ahead. */
  #ahead = 0;

  readonly seed: number;

  constructor(seed: number, servers: number) {
    this.seed = seed;
    this.random = this.stream("world");
    this.weather = new Weather(this.agenda, this.tally);
    this.network = new Network(this.agenda, this.weather, this.stream("network"));
    this.history = new History(this.agenda);
    this.receivers = new Receivers(
      this.agenda,
      this.weather,
      this.stream("receivers"),
      (webhook) => this.history.received(webhook),
      (id) => this.invariants.acknowledgedWebhooks.add(id),
    );
    this.invariants = new Invariants(
      this.database,
      (move) => this.tally.add(`move ${move}`),
      (before, job) => this.#changed(before, job),
      () => this.agenda.now,
    );
    this.untoldStops = new UntoldStops(this);
    this.runs = new Runs(this);
    this.servers = Array.from({ length: servers }, (_, index) => new SimulatedServer(this, `s${index}`));
  }

  #changed(before: MemoryJob | undefined, job: MemoryJob): string | undefined {
    this.untoldStops.changed(before, job);
    return this.runs.changed(before, job);
  }

  stream(name: string): Random {
    return random(this.seed, name);
  }

  /** The time of the machine that has the data: anybody can set it. */
  get wall(): number {
    return this.agenda.now + this.#ahead;
  }

  stepClock(by: number): void {
    this.#ahead += by;
  }

  fail(error: unknown): void {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
  }

  /** A fault of the simulation, or else one of the server. */
  expected(error: unknown): void {
    const isOfStore = error instanceof ForebayError && /^STORAGE_|SHUTTING_DOWN/.test(error.code);
    if (!isOfStore) this.fail(error);
  }

  async running(process: Process): Promise<void> {
    const left = process.pausedUntil - this.agenda.now;
    if (left > 0) await this.agenda.sleep(left, process, "runs again");
  }

  /** The data as a server finds it when it starts. */
  async openStore(
    server: string,
    process: Process,
    onCommit: (mark: "begin" | "end") => void,
  ): Promise<OpenedStore> {
    const { agenda, database } = this;
    const sharing = {
      server,
      time: () => this.wall,
      carry: (to: string, _signals: unknown, arrive: () => void) => this.#carry(server, to, arrive),
    };
    const store = await openMemoryStore({
      database,
      sharing: this.servers.length > 1 ? sharing : undefined,
      schedule: (commit) => this.#commitLater(process, commit),
      onCommit,
    });
    const notBefore = await store.latestTime();
    const drift = this.random.between(-DRIFT, DRIFT);
    const startsAt = Math.max(notBefore, this.wall);
    const own = machineClock(agenda, process, startsAt, drift);
    if (store.shared === undefined) {
      return { store, crash: () => store.crash(), clock: own, steer: () => undefined };
    }
    const clock = steeredClock(startsAt, own);
    return { store, crash: () => store.crash(), clock, steer: clock.steer };
  }

  #commitLater(process: Process, commit: () => void): void {
    this.agenda.after(this.random.between(0, SLOWEST_COMMIT), process, "commits", () => {
      try {
        commit();
      } catch (error) {
        if (!(error instanceof CrashedInside)) throw error;
      }
    });
  }

  #carry(from: string, to: string, arrive: () => void): void {
    if (this.weather.strikes("signal lost")) return;
    const late = this.weather.strikes("signal late") ? this.random.between(500, 5_000) : 0;
    const target = this.servers.find(({ name }) => name === to)?.process ?? this.process;
    this.agenda.after(this.random.between(1, 5) + late, target, `hears ${from}`, arrive);
  }

  /** A call by way of the load balancer, which knows which servers listen. */
  call(from: Process, request: SimulatedRequest, timeout: number): Promise<Outcome> {
    const up = (): SimulatedServer | undefined => {
      const listening = this.servers.filter(({ isUp }) => isUp);
      return listening.length === 0 ? undefined : this.random.pick(listening);
    };
    return this.network.call(from, up, request, timeout);
  }

  /** Goes on until `until` or a failure; `onStep` is called after each step. */
  async run(until: number, onStep: () => void): Promise<void> {
    while (this.failure === undefined && this.agenda.step(until)) {
      // Some steps come in one round of the event loop, others when all has settled.
      const turns = this.agenda.next > this.agenda.now ? 4 : this.random.below(3);
      for (let count = 0; count < turns; count++) await turn();
      onStep();
    }
  }

  /** Whether everything runs, and nobody waits for longer than a call may. */
  isQuiet(): boolean {
    const isUp = this.servers.every((server) => server.isUp);
    return isUp && this.commandsUnderWay === 0 && this.unansweredCalls().length === 0;
  }

  /** Calls that were not answered in the longest time that one may take when no job runs. */
  unansweredCalls(): readonly string[] {
    return this.servers.flatMap((server) => server.callsOpenSince(this.agenda.now - LONGEST_CALL));
  }

  async settle(): Promise<void> {
    for (let count = 0; count < 10; count++) await turn();
  }
}
