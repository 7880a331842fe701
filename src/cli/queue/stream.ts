import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { type Chunk, hasEnded } from "@forebay/worker/client";
import { Interrupted } from "../command-fault.ts";
import { errorText } from "../terminal/error-text.ts";
import { shown, printMessage } from "../terminal/terminal-text.ts";
import { PATIENCE } from "./wait-for-end.ts";
import { parseQueueCall } from "./queue-call.ts";
import { shellWord } from "../parse-words.ts";

const FLAGS = {
  from: { type: "string", value: "<number>", help: "skip this many chunks" },
} as const satisfies Flags;

/** Prints the output of a job as it arrives, until the job has ended. */
export const stream: Command = {
  words: "<endpoint> <job>",
  about: `
Prints the output of the job while it runs: text as it is, anything else as a
line of JSON. Ctrl-C stops reading; the job continues.
Exit code 1 if the job failed, was cancelled or timed out, 2 for other faults.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay stream chat $JOB", "forebay stream chat $JOB --from 20 --json"],
  async run(args) {
    const call = parseQueueCall(args, ["endpoint", "job"], FLAGS);
    const { endpoint, job: id, isJson } = call;
    let next = call.integer("from") ?? 0;
    await endpoint.status(id);
    const stopping = new AbortController();
    const printer = new ChunkPrinter(isJson);
    // The listener stays: the launcher sends the same signal a second time.
    process.on("SIGINT", () => {
      printer.end();
      const goOn = `forebay stream ${shellWord(endpoint.id)} ${id} --from ${next}`;
      stopping.abort(new Interrupted(`The job continues. To read on: ${goOn}`));
    });
    const options = { from: next, signal: stopping.signal, patience: PATIENCE };
    for await (const chunk of endpoint.stream(id, options)) {
      if (chunk.index < next) {
        printer.end();
        printMessage("The worker was lost and the job runs again: its stream starts over.");
      }
      printer.print(chunk);
      next = chunk.index + 1;
    }
    printer.end();
    const job = await endpoint.status(id, { patience: PATIENCE });
    if (!hasEnded(job) || job.status === "COMPLETED") return;
    const error = job.error === undefined ? "" : `: ${errorText(job.error)}`;
    printMessage(`forebay stream: the job ended ${job.status}${error}`);
    process.exitCode = 1;
  },
};

/** Prints text as it is, and anything else as lines of JSON. */
class ChunkPrinter {
  readonly #isJson: boolean;
  #isInLine = false;

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  print(chunk: Chunk): void {
    if (!this.#isJson && typeof chunk.output === "string") {
      process.stdout.write(shown(chunk.output));
      if (chunk.output !== "") this.#isInLine = !chunk.output.endsWith("\n");
      return;
    }
    this.#endLine();
    console.log(shown(JSON.stringify(this.#isJson ? chunk : chunk.output)));
  }

  /** In a terminal, the next output begins on its own line. In a file, the text stays as it was. */
  end(): void {
    if (process.stdout.isTTY) this.#endLine();
  }

  #endLine(): void {
    if (this.#isInLine) process.stdout.write("\n");
    this.#isInLine = false;
  }
}
