import { headlineOf, jobErrorOf } from "../../domain/job-error.ts";

/** Of a longer message, only the beginning is shown, characters. */
const MOST_MESSAGE = 20_000;

/** Of a longer traceback, only the first and the last lines are shown. */
const FIRST_LINES = 20;
const LAST_LINES = 40;

/** What is known of frames where the worker runs on this machine. */
export interface LocalFrames {
  /** Whether it is a frame of Forebay itself. */
  readonly isLibrary: (frame: string) => boolean;
  readonly shorten: (path: string) => string;
}

const REMOTE: LocalFrames = { isLibrary: () => false, shorten: (path) => path };

/**
 * The error of a job for a terminal: type and message, then the frames of the author's own code, or all
 * frames if none is. The result can contain control characters: `visibleText`.
 */
export function errorText(error: string, { isLibrary, shorten }: LocalFrames = REMOTE): string {
  const known = jobErrorOf(error, isLibrary);
  const own = known.traceback.filter(({ part }) => part === "own");
  const shown = own.length > 0 ? own : known.traceback.filter(({ part }) => part === "library");
  const lines = shown.map(({ text }) => shortened(text, shorten));
  return [cutText(headlineOf(known)), ...cutLines(lines)].join("\n");
}

/** Type and message of an error, without its traceback. */
export function errorHeadline(error: string): string {
  return cutText(headlineOf(jobErrorOf(error)));
}

function cutText(text: string): string {
  const rest = text.length - MOST_MESSAGE;
  return rest <= 0 ? text : `${text.slice(0, MOST_MESSAGE)}… (${rest} more characters)`;
}

function cutLines(lines: readonly string[]): readonly string[] {
  const rest = lines.length - FIRST_LINES - LAST_LINES;
  if (rest <= 0) return lines;
  return [...lines.slice(0, FIRST_LINES), `  … ${rest} more lines …`, ...lines.slice(-LAST_LINES)];
}

/** The path of a frame stands in its beginning, characters. */
const LONGEST_PATH = 4_096;

function shortened(line: string, shorten: (path: string) => string): string {
  const rest = line.slice(LONGEST_PATH);
  const start = line.slice(0, LONGEST_PATH).replace(/(?:file:\/\/)?(\/[^:"]+)(?=[:"])/, (_, path: string) => {
    const shorter = shorten(path);
    return shorter.length < path.length ? shorter : path;
  });
  return start + rest;
}
