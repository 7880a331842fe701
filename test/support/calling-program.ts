import { ChildWorker } from "./child-worker.ts";
import { until } from "./until.ts";

/** How long an answer may take, ms. */
const LIMIT = 30_000;

/** What a call came to: `returned`, or `raised` beside whatever the program tells of its error. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of any shape
type Outcome = any;

/**
 * A public client in a program of its own, which reads a call from each line, `[name, …arguments]`, and
 * prints the outcome of each as a line, `{"returned": …}` or `{"raised": …}`. Other lines are the client's.
 */
export class CallingProgram {
  readonly #child: ChildWorker;
  #calls = 0;

  constructor(command: readonly string[]) {
    this.#child = new ChildWorker(command, {});
  }

  /** All that it has printed. */
  get lines(): readonly string[] {
    return this.#child.lines;
  }

  /** The first line that has this text in it; waits for it. */
  line(text: string): Promise<string> {
    return this.#child.line(text);
  }

  async outcome(name: string, ...args: readonly unknown[]): Promise<Outcome> {
    const number = ++this.#calls;
    this.#child.tell(JSON.stringify([name, ...args]));
    const line = await until(
      `answer ${number} of the client`,
      () => this.lines.filter(isOutcome)[number - 1],
      LIMIT,
    ).catch((error: unknown) => {
      throw new Error(this.lines.join("\n"), { cause: error });
    });
    return JSON.parse(line);
  }

  /** What the call returned; throws what it raised. */
  async call(name: string, ...args: readonly unknown[]): Promise<Outcome> {
    const outcome = await this.outcome(name, ...args);
    if ("raised" in outcome) throw new Error(JSON.stringify(outcome));
    return outcome.returned;
  }

  kill(): Promise<void> {
    return this.#child.kill();
  }
}

function isOutcome(line: string): boolean {
  return /^\{"(returned|raised)"/.test(line);
}
