/** What the error of a job says, for people. */
export interface JobError {
  /** The class of the exception, without its module; undefined if the error does not name one. */
  readonly type: string | undefined;
  readonly message: string;
  /** Empty if the error has no traceback. */
  readonly traceback: readonly TracebackLine[];
}

/** A line of a traceback. A frame of Python has its source in the lines that follow. */
export interface TracebackLine {
  readonly text: string;
  /** `own` is a frame of the author's code, `library` one of packages and runtimes, `note` anything else. */
  readonly part: "own" | "library" | "note";
}

/**
 * Reads the error of a job: the JSON that worker SDKs send for an exception, also if its end was cut off; a
 * traceback of Python or JavaScript as plain text; or any other text, which becomes the message. `isLibrary`
 * names further frames that are not the author's.
 */
export function jobErrorOf(error: string, isLibrary: (frame: string) => boolean = () => false): JobError {
  const { error_type: type, error_message: message, error_traceback: traceback } = membersOf(error);
  const isException = typeof type === "string" || typeof traceback === "string";
  if (typeof message !== "string" || !isException) return ofText(error, isLibrary);
  return {
    type: typeof type === "string" && type !== "" ? nameOf(type) : undefined,
    message,
    traceback: typeof traceback === "string" ? linesOf(traceback, isLibrary) : [],
  };
}

/** Type and message in one text. */
export function headlineOf({ type, message }: JobError): string {
  if (type === undefined) return message;
  return message === "" ? type : `${type}: ${message}`;
}

interface Members {
  readonly error_type?: unknown;
  readonly error_message?: unknown;
  readonly error_traceback?: unknown;
}

function membersOf(error: string): Members {
  if (!/^\s*\{/.test(error)) return {};
  try {
    const value: unknown = JSON.parse(error);
    return typeof value === "object" && value !== null ? value : {};
  } catch (fault) {
    if (fault instanceof SyntaxError) return cutMembersOf(error);
    throw fault;
  }
}

/** Longer texts that are not JSON stay as they are, characters. An attempt keeps 2 kB of its error. */
const MOST_CUT = 16_384;

/** The members of JSON whose end is missing. The last string may be incomplete. */
function cutMembersOf(error: string): Members {
  if (error.length > MOST_CUT) return {};
  const strings = error.matchAll(/"(error_(?:type|message|traceback))"\s*:\s*"((?:[^"\\]|\\.)*)/gs);
  return Object.fromEntries([...strings].map(([, name = "", text = ""]) => [name, unescaped(text)]));
}

function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/, "")}"`);
  } catch (fault) {
    if (fault instanceof SyntaxError) return undefined;
    throw fault;
  }
}

/** The Python SDK writes `<class 'ValueError'>`. */
function nameOf(type: string): string {
  return /^<class '(?:[^']*\.)?(\w+)'>$/.exec(type)?.[1] ?? type;
}

/** A traceback of Python ends with its message, a stack of JavaScript begins with it. */
function ofText(text: string, isLibrary: (frame: string) => boolean): JobError {
  const traceback = linesOf(text, isLibrary);
  const first = traceback.findIndex(({ part }) => part !== "note");
  const plain = { type: undefined, message: text, traceback: [] };
  const frame = traceback[first]?.text;
  if (frame === undefined) return plain;
  const last = traceback.findLastIndex(({ part }) => part !== "note");
  const around = frame.includes('File "') ? traceback.slice(last + 1) : traceback.slice(0, first);
  const said = around
    .map((line) => line.text)
    .join("\n")
    .trim();
  if (said === "") return plain;
  const [, type, message = ""] = /^(?:\w+\.)*([A-Z]\w*)(?:: ([^]*))?$/.exec(said) ?? [];
  return type === undefined ? { type, message: said, traceback } : { type, message, traceback };
}

const FRAME = /^\s+(?:[|+]\s+)*(?:at |File ")/;
const SOURCE = /^[\s|]{4}/;

/** Frames of packages, runtimes and the public worker SDK. Authors call their own file `rp_handler.py`. */
const LIBRARIES = [
  /[\\/]node_modules[\\/]/,
  /[\\/](?:site|dist)-packages[\\/]/,
  /[\\/]lib(?:64)?[\\/]python[.\d]*[\\/]/,
  /[\\/]Python3\d*[\\/]Lib[\\/]/,
  /[\\/]runpod[\\/](?:[^"]*[\\/])?rp_(?!handler\.py)\w+\.py"/,
  /File "<frozen /,
  /(?:\(|\bat |\basync )(?:native|node:|bun:|unknown\b)/,
];

/** Of a longer line, the place of its frame is in the beginning, characters. */
const LOOKED = 1_000;

function linesOf(traceback: string, isLibrary: (frame: string) => boolean): TracebackLine[] {
  let part: TracebackLine["part"] = "note";
  const lines = traceback.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((text) => {
    const start = text.slice(0, LOOKED);
    if (FRAME.test(start)) {
      const isForeign = isLibrary(start) || LIBRARIES.some((pattern) => pattern.test(start));
      part = isForeign ? "library" : "own";
    } else if (!SOURCE.test(start)) part = "note";
    return { text, part };
  });
}
