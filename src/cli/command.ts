/** A flag: what the command line takes, and what the help says of it. */
export interface Flag {
  readonly type: "string" | "boolean";
  /** Whether it can be said again. */
  readonly multiple?: boolean;
  readonly short?: string;
  /** What stands behind it in the help, such as `<id>`. */
  readonly value?: string;
  /** The variable that says it otherwise; such flags have two lines in the help. */
  readonly env?: string;
  /** What it does, as a line that is broken where the help needs it. */
  readonly help: string;
}

/** By their names, without dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** A command in the table of all: what is known of it before its module is loaded. */
export interface ListedCommand {
  /** What it does in a few words, as `forebay --help` and docs/command-line.md list it. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Commands under a heading, by their names. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: Readonly<Record<string, ListedCommand>>;
}

/** A command: its help, its flags and its code, in one place. */
export interface Command {
  /** The words behind its name, such as `<endpoint> [input]`. */
  readonly words?: string;
  /** What else there is to know, in lines of at most 80 characters. */
  readonly about: string;
  readonly flags: Flags;
  /** At least one line that can be typed. */
  readonly examples: readonly string[];
  /** Runs it with what stands behind its name. Throws CommandFault, Interrupted, ForebayError. */
  readonly run: (args: string[]) => Promise<void>;
}

/** Those of every command that calls a server. */
export const SERVER_FLAGS = {
  server: {
    type: "string",
    value: "<address>",
    help: "where the server is; else FOREBAY_URL, else http://127.0.0.1:8000",
  },
  key: { type: "string", value: "<key>", help: "the API key; else FOREBAY_KEY" },
} as const satisfies Flags;

/** Those of every command that prints what a server answers. */
export const CLIENT_FLAGS = {
  ...SERVER_FLAGS,
  json: { type: "boolean", help: "the answer as JSON, for programs" },
} as const satisfies Flags;
