import { CommandFault } from "../command-fault.ts";
import { parseWords } from "../parse-words.ts";
import { timerOf } from "../duration-of.ts";
import type { ExecOptions } from "./exec/exec-work.ts";
import type { HttpOptions } from "./http/http-work.ts";
import { INPUT_AS_BODY, templateOf } from "./http/template.ts";
import { splitWords } from "./split-words.ts";
import { WORKER_FLAGS } from "./worker-flags.ts";
import { workerScript } from "./worker-program.ts";

export interface WorkerOptions {
  readonly endpoint: string | undefined;
  readonly create: boolean;
  readonly server: string | undefined;
  readonly key: string | undefined;
  readonly concurrency: number;
  readonly aggregates: boolean;
  readonly work: JobWork | ProgramWork;
}

/** Each job is a request, or a process of its own. */
export type JobWork = ({ readonly kind: "http" } & HttpOptions) | ({ readonly kind: "exec" } & ExecOptions);

/** A program that is a worker itself, and takes its jobs with a worker SDK. */
export interface ProgramWork {
  readonly kind: "program";
  readonly words: readonly string[];
  /** How it was recognized. */
  readonly because: string;
}

/** The flags of `forebay worker`, checked. Throws CommandFault. */
export function workerOptions(args: readonly string[]): WorkerOptions {
  const dashes = args.indexOf("--");
  const flags = parse(dashes === -1 ? args : args.slice(0, dashes));
  const program = dashes === -1 ? undefined : args.slice(dashes + 1);
  return {
    endpoint: flags.endpoint,
    create: flags.create ?? false,
    server: flags.server,
    key: flags.key,
    concurrency: concurrencyOf(flags.concurrency ?? "1"),
    aggregates: flags["no-aggregate"] !== true,
    work: workOf(flags, program),
  };
}

type Flags = ReturnType<typeof parse>;

/** Arguments after `--` belong to the program. There are none before it. */
function parse(args: readonly string[]) {
  const { values, positionals } = parseWords([...args], WORKER_FLAGS);
  const [surplus] = positionals;
  if (surplus === undefined) return values;
  throw new CommandFault(
    `unexpected argument ${JSON.stringify(surplus)}. See --help. Put the program after --exec or --.`,
  );
}

/** Flags for jobs, which such a program decides itself. */
const JOB_FLAGS = ["concurrency", "kill-grace", "lines", "no-aggregate"] as const;

const HTTP_FLAGS = ["template", "method", "header", "health", "start-wait"] as const;

function workOf(flags: Flags, program: readonly string[] | undefined): WorkerOptions["work"] {
  const { http, exec } = flags;
  const ways = [http, exec, program].filter((way) => way !== undefined);
  if (ways.length !== 1) {
    throw new CommandFault(
      "choose one way to run jobs: --http <url>, --exec '<command>', or -- <program> <arguments>.",
    );
  }
  if (http !== undefined) {
    refuse(flags, ["kill-grace", "sdk"], "a program");
    return { kind: "http", ...httpOptions(http, flags) };
  }
  refuse(flags, HTTP_FLAGS, "--http");
  const because = flags.sdk === true ? "--sdk says so" : usesSdk(program);
  if (program !== undefined && because !== undefined) {
    refuse(flags, JOB_FLAGS, "programs that run one job and end");
    return { kind: "program", words: program, because };
  }
  refuse(flags, ["sdk"], "-- <program>");
  return {
    kind: "exec",
    words: program ?? splitWords(exec ?? ""),
    lines: flags.lines ?? false,
    killGrace: timerOf("--kill-grace", flags["kill-grace"] ?? "5s"),
  };
}

function usesSdk(program: readonly string[] | undefined): string | undefined {
  const script = program && workerScript(program);
  return script && `${script} uses a worker SDK`;
}

function refuse(flags: Flags, names: readonly (keyof Flags)[], partner: string): void {
  const given = names.find((name) => flags[name] !== undefined);
  if (given !== undefined) throw new CommandFault(`--${given} goes with ${partner}. Leave it out.`);
}

function httpOptions(http: string, flags: Flags): HttpOptions {
  const url = urlOf("--http", http);
  return {
    url,
    method: methodOf(flags.method ?? "POST"),
    headers: headersOf(flags.header ?? []),
    template: flags.template === undefined ? INPUT_AS_BODY : templateOf(flags.template),
    lines: flags.lines ?? false,
    health: flags.health === undefined ? undefined : urlOf("--health", flags.health, url),
    startWait: timerOf("--start-wait", flags["start-wait"] ?? "0s"),
  };
}

function urlOf(flag: string, given: string, base?: URL): URL {
  const url = URL.parse(given, base?.href);
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new CommandFault(`${flag} takes an address like http://127.0.0.1:8080/path, got ${given}.`);
}

function methodOf(given: string): string {
  const method = given.toUpperCase();
  if (["POST", "PUT", "PATCH"].includes(method)) return method;
  throw new CommandFault(`--method is POST, PUT or PATCH, whose body carries the input; got ${given}.`);
}

function headersOf(given: readonly string[]): Headers {
  const headers = new Headers({ "content-type": "application/json" });
  for (const header of given) {
    const [, name = "", value = ""] = /^([\w!#$%&'*+.^`|~-]+):\s*([\x20-\x7e]*)$/.exec(header) ?? [];
    if (name === "") throw new CommandFault(`--header takes 'Name: value', got ${header}.`);
    headers.set(name, value);
  }
  return headers;
}

function concurrencyOf(given: string): number {
  const concurrency = /^[0-9]{1,5}$/.test(given) ? Number(given) : 0;
  if (concurrency > 0) return concurrency;
  throw new CommandFault(`--concurrency takes a whole number above 0, got ${given}.`);
}
