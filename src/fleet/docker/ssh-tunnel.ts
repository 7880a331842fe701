import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";
import { visibleLine } from "../../domain/visible-text.ts";
import { readLines } from "../read-lines.ts";
import type { EngineSocket } from "./engine-address.ts";
import { type SshTarget, sshArguments, sshFault } from "./ssh-target.ts";

/**
 * Runs `ssh`, whose arguments follow, until it ends, or until the server does, also after kill -9: then its
 * end of the pipe is closed. $0 is the directory of the socket.
 */
const SCRIPT = `
exec 3<&0
"$@" </dev/null 3<&- & ssh=$!
(read -r _ <&3; rm -rf -- "$0"; kill "$ssh") 2>/dev/null & watch=$!
exec 3<&-
wait "$ssh"; status=$?
kill "$watch" 2>/dev/null
exit "$status"
`;

/** How often to look whether the socket is there, and for how long, ms. */
const LOOK_EVERY = 20;
const LOOK_LIMIT = 15_000;

/** How long to wait before `ssh` is started again, ms: at first, and at most. */
const PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/** How long to wait for what `ssh` prints after it has broken a connection, ms. */
const WORD_LIMIT = 1_000;

/** What `ssh` printed explains a broken connection for so long, ms. */
const NEWS = 5_000;

/** A socket on this machine that `ssh` connects with the engine's socket on another one. */
export class SshTunnel {
  readonly address: EngineSocket;
  /** Settled when the engine can be reached, or when that has failed for the first time. */
  readonly ready: Promise<void>;
  readonly #target: SshTarget;
  readonly #configFile: string;
  readonly #clock: Clock;
  readonly #directory: string;
  #child: ChildProcess | undefined;
  /** The last line that it printed, and when. */
  #printed = { line: "", at: 0 };
  /** Why it is not connected. */
  #fault: string | undefined = "ssh is still connecting";
  #failures = 0;
  #isClosed = false;
  #cancelRestart = (): void => undefined;

  static open(target: SshTarget, configFile: string, clock: Clock): SshTunnel {
    // Not in the data directory: the path of a socket has at most 107 bytes.
    return new SshTunnel(target, configFile, clock, join(tmpdir(), `forebay-ssh-${crypto.randomUUID()}`));
  }

  private constructor(target: SshTarget, configFile: string, clock: Clock, directory: string) {
    this.#target = target;
    this.#configFile = configFile;
    this.#clock = clock;
    this.#directory = directory;
    this.address = { socketPath: join(directory, "engine.sock"), fault: () => this.#whyBroken() };
    this.ready = this.#connect();
  }

  /** Ends `ssh`. Nothing of it is left then. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRestart();
    const child = this.#child;
    if (child !== undefined) {
      const ended = new Promise((resolve) => child.on("close", resolve));
      child.stdin?.end();
      await ended;
    }
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #whyBroken(): Promise<string | undefined> {
    const until = this.#clock.now() + WORD_LIMIT;
    for (;;) {
      const fault = this.#faultNow();
      if (fault !== undefined || this.#clock.now() >= until) return fault;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_EVERY, resolve));
    }
  }

  #faultNow(): string | undefined {
    if (this.#fault !== undefined) return this.#fault;
    const { line, at } = this.#printed;
    const isNews = /open failed/.test(line) && this.#clock.now() - at < NEWS;
    return isNews ? sshFault(line, this.#target) : undefined;
  }

  /** Resolves at the first outcome. A fault of the system is an outcome, too. */
  async #connect(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      this.#printed = { line: `it cannot be started: ${errorCode(error)}`, at: this.#clock.now() };
      this.#ended(null);
    }
  }

  async #run(): Promise<void> {
    const { socketPath } = this.address;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await rm(socketPath, { force: true });
    if (this.#isClosed) return rm(this.#directory, { recursive: true, force: true });
    const words = sshArguments(this.#target, this.#configFile, socketPath);
    // In a session of its own: Ctrl-C in the server's terminal must not end it before the workers.
    const child = spawn("sh", ["-c", SCRIPT, this.#directory, "ssh", ...words], {
      stdio: ["pipe", "ignore", "pipe"],
      detached: true,
    });
    this.#child = child;
    this.#printed = { line: "", at: 0 };
    child.stdin.on("error", () => undefined);
    readLines(child.stderr, (line) => {
      this.#printed = { line: visibleLine(line), at: this.#clock.now() };
    });
    const ended = new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        this.#ended(code);
        resolve();
      });
    });
    await Promise.race([ended, this.#socketAppears(child)]);
  }

  async #socketAppears(child: ChildProcess): Promise<void> {
    const until = this.#clock.now() + LOOK_LIMIT;
    while (this.#child === child && this.#clock.now() < until) {
      if (existsSync(this.address.socketPath)) {
        this.#fault = undefined;
        this.#failures = 0;
        return;
      }
      await new Promise<void>((resolve) => this.#clock.after(LOOK_EVERY, resolve));
    }
  }

  #ended(code: number | null): void {
    this.#child = undefined;
    const { line } = this.#printed;
    this.#fault =
      code === 127 ? "the program ssh is not installed on this machine" : sshFault(line, this.#target);
    if (this.#isClosed) return;
    const pause = Math.min(PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    this.#failures++;
    this.#cancelRestart = this.#clock.after(pause, () => void this.#connect());
  }
}
