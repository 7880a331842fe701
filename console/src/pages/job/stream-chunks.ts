import { useEffect, useState } from "preact/hooks";
import { openEvents, streamPath } from "../../api.ts";

/** How many chunks the page keeps, and how many characters of them. Earlier ones are left out. */
const MOST = 5_000;
const MOST_CHARACTERS = 1_000_000;

/** A piece of what a job puts out. */
export interface StreamChunk {
  /** Its place in the stream, from 1 on. */
  readonly number: number;
  /** As the server sent it. */
  readonly json: string;
  /** The text in it, as language models send it; undefined if it is anything else. */
  readonly text: string | undefined;
}

export interface StreamSoFar {
  /** The newest chunks. */
  readonly chunks: readonly StreamChunk[];
  readonly count: number;
  readonly isOver: boolean;
}

const NOTHING: StreamSoFar = { chunks: [], count: 0, isOver: false };

/** The chunks of a job, drawn at most once for each frame of the screen. */
export function useChunks(endpoint: string, job: string): StreamSoFar {
  const [shown, setShown] = useState(NOTHING);
  useEffect(() => {
    const events = openEvents(streamPath(endpoint, job));
    let kept: StreamChunk[] = [];
    let characters = 0;
    let count = 0;
    let isOver = false;
    let frame = 0;
    const draw = (): void => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setShown({ chunks: [...kept], count, isOver }));
    };
    events.addEventListener("message", ({ data }: MessageEvent<string>) => {
      count++;
      kept.push({ number: count, json: data, text: textOf(data) });
      characters += data.length;
      while (kept.length > 1 && (kept.length > MOST || characters > MOST_CHARACTERS)) {
        characters -= kept.shift()?.json.length ?? 0;
      }
      draw();
    });
    events.addEventListener("restart", () => {
      kept = [];
      characters = 0;
      count = 0;
      draw();
    });
    events.addEventListener("end", () => {
      isOver = true;
      draw();
      events.close();
    });
    return () => {
      cancelAnimationFrame(frame);
      events.close();
    };
  }, [endpoint, job]);
  return shown;
}

/** Chunks in a row that are shown together. */
export interface StreamRun {
  /** The place of the first one. */
  readonly number: number;
  readonly chunks: number;
  /** The texts of all of them; undefined for a chunk without a text, which is alone. */
  readonly text: string | undefined;
  readonly json: string;
}

/** Joins the texts of chunks that follow each other. */
export function runsOf(chunks: readonly StreamChunk[]): StreamRun[] {
  const runs: { number: number; texts: string[] | undefined; json: string }[] = [];
  for (const { number, json, text } of chunks) {
    const last = runs.at(-1);
    if (text !== undefined && last?.texts !== undefined) last.texts.push(text);
    else runs.push({ number, json, texts: text === undefined ? undefined : [text] });
  }
  return runs.map(({ number, json, texts }) => ({
    number,
    json,
    chunks: texts?.length ?? 1,
    text: texts?.join(""),
  }));
}

/** Longer chunks are no tokens, characters. */
const LONGEST = 65_536;

function textOf(json: string): string | undefined {
  if (json.length > LONGEST) return undefined;
  const { output, part }: { output?: unknown; part?: unknown } = JSON.parse(json);
  return part === undefined ? textIn(output) : undefined;
}

/** Texts of language models are not deeper, levels. */
const MOST_DEPTH = 5;

/** Where public workers for language models put the text of a chunk, and where OpenAI's API has it. */
function textIn(output: unknown, depth = 0): string | undefined {
  if (typeof output === "string") return output;
  if (depth > MOST_DEPTH) return undefined;
  if (Array.isArray(output)) {
    const texts = output.map((item) => textIn(item, depth + 1));
    return texts.every((text) => text !== undefined) && texts.length > 0 ? texts.join("") : undefined;
  }
  if (typeof output !== "object" || output === null) return undefined;
  const record: Readonly<Record<string, unknown>> = { ...output };
  for (const name of ["text", "token", "content", "tokens", "delta", "choices"]) {
    const text = Object.hasOwn(record, name) ? textIn(record[name], depth + 1) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}
