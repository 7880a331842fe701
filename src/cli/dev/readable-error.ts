import { isOwnFrame } from "../../host/own-program.ts";

/** Paths of packages and runtimes. */
const FOREIGN = [
  /[\\/]node_modules[\\/]/,
  /[\\/](?:site|dist)-packages[\\/]/,
  /[\\/]lib[\\/]python3[.\d]*[\\/]/,
  /\((?:native|node:|bun:|unknown)/,
];

/**
 * The error of a job, readable for its author. An exception from a worker SDK becomes its message and the
 * stack frames of the author's own code, with paths shortened by `shorten`. Any other error stays as it is.
 */
export function readableError(error: string, shorten: (path: string) => string): string {
  const { error_type: type, error_message: message, error_traceback: traceback } = described(error);
  if (typeof traceback !== "string" || typeof message !== "string") return error;
  const frames = framesOf(traceback);
  const own = frames.filter(isOwn);
  const shown = own.length > 0 ? own : frames;
  return [`${nameOf(type)}: ${message}`, ...shown.map((frame) => shortened(frame, shorten))].join("\n");
}

interface Described {
  readonly error_type?: unknown;
  readonly error_message?: unknown;
  readonly error_traceback?: unknown;
}

function described(error: string): Described {
  try {
    const value: unknown = JSON.parse(error);
    return typeof value === "object" && value !== null ? value : {};
  } catch (fault) {
    if (fault instanceof SyntaxError) return {};
    throw fault;
  }
}

/** Whether a frame is the author's own code. */
function isOwn(frame: string): boolean {
  return !isOwnFrame(frame) && !FOREIGN.some((pattern) => pattern.test(frame));
}

/** The Python SDK writes `<class 'ValueError'>`. */
function nameOf(type: unknown): string {
  const text = typeof type === "string" ? type : "Error";
  return /^<class '(?:.*\.)?(\w+)'>$/.exec(text)?.[1] ?? text;
}

/** A JavaScript frame is one line. A Python frame has its source on the next line. */
function framesOf(traceback: string): string[] {
  const frames: string[] = [];
  for (const line of traceback.split("\n")) {
    if (/^\s+(?:at |File ")/.test(line)) frames.push(line);
    else if (/^\s{4}/.test(line) && frames.length > 0) frames.push(`${frames.pop()}\n${line}`);
  }
  return frames;
}

function shortened(frame: string, shorten: (path: string) => string): string {
  return frame.replace(/(?:file:\/\/)?(\/[^:"]+)(?=[:"])/, (_, path: string) => {
    const shorter = shorten(path);
    return shorter.length < path.length ? shorter : path;
  });
}
