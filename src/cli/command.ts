/** A flag, and its help. */
export interface Flag {
  readonly type: "string" | "boolean";
  /** Whether it can be given more than once. */
  readonly multiple?: boolean;
  readonly short?: string;
  /** Its value in the help, such as `<id>`. */
  readonly value?: string;
  /** The variable that sets it too. Such flags have two lines in the help. */
  readonly env?: string;
  /** What it does, in one line. The help wraps it. */
  readonly help: string;
}

/** Flags by name, without dashes. */
export type Flags = Readonly<Record<string, Flag>>;

/** A command in the list of commands, before its module is loaded. */
export interface ListedCommand {
  /** What it does in a few words, for `forebay --help` and docs/command-line.md. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** Commands under a heading, by name. */
export interface CommandGroup {
  readonly title: string;
  readonly commands: Readonly<Record<string, ListedCommand>>;
}

/** A command: its help, its flags and its code, in one place. */
export interface Command {
  /** The arguments after its name, such as `<endpoint> [input]`. */
  readonly words?: string;
  /** More about it, in lines of at most 80 characters. */
  readonly about: string;
  readonly flags: Flags;
  /** At least one line that can be run. */
  readonly examples: readonly string[];
  /** Runs it with the arguments after its name. Throws CommandFault, Interrupted, ForebayError. */
  readonly run: (args: string[]) => Promise<void>;
}

/** The flags of every command that calls a server. */
export const SERVER_FLAGS = {
  server: {
    type: "string",
    value: "<address>",
    help: "where the server is; default: FOREBAY_URL, else http://127.0.0.1:8000",
  },
  key: { type: "string", value: "<key>", help: "the API key; default: FOREBAY_KEY" },
} as const satisfies Flags;

/** The flags of every command that prints an answer of a server. */
export const CLIENT_FLAGS = {
  ...SERVER_FLAGS,
  json: { type: "boolean", help: "the answer as JSON, for programs" },
} as const satisfies Flags;
