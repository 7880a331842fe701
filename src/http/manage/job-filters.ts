import { DURATION_FORM, durationOrMilliseconds } from "../../domain/duration-text.ts";
import { ForebayError } from "../../domain/errors.ts";
import { TAG } from "../../domain/tags.ts";
import { JOB_STATES } from "../../domain/transitions.ts";
import { FIRST_PLACE, type FindPlace } from "../../engine/find/find-jobs.ts";
import { choices, integer, plainText, type QueryParameter } from "../parameters.ts";

const ID = /^[A-Za-z0-9_-]{1,128}$/;

/** What a search for jobs can be narrowed by. The docs explain them in docs/find-jobs.md. */
export const JOB_FILTERS = {
  state: choices(JOB_STATES, "Only jobs in this state; several with commas, or repeated."),
  endpoint: matching("Only jobs of this endpoint, by id or name.", /^[^\0]{1,191}$/u, "an id or a name"),
  from: time("Only jobs that ended at this time or later. Unfinished jobs count by their submission."),
  to: time("Only jobs that ended before this time. Unfinished jobs count by their submission."),
  worker: matching("Only jobs whose newest attempt ran on this worker.", ID, "the id of a worker"),
  version: integer(1, Number.MAX_SAFE_INTEGER, "Only jobs whose worker was of this release."),
  error: matching(
    "Only jobs whose error has this text, in any case.",
    /^[^\0]{1,200}$/u,
    "a text without NUL",
  ),
  id: matching(
    "Only jobs whose ids start with this text, with or without `sync-`.",
    ID,
    "the beginning of an id",
  ),
  tag: matching("Only jobs with this tag.", TAG, "a tag"),
  minDuration: {
    ...plainText("Only jobs whose newest attempt ran at least this long: `10s`, `5m`, `1h 30m`, or ms."),
    read: (query, name) => durationOf(query.text(name), name),
  } satisfies QueryParameter<number | undefined>,
};

/** Where a page begins. */
export const JOB_CURSOR: QueryParameter<FindPlace> = {
  ...plainText("The `nextCursor` of the previous page."),
  read: (query, name) => placeIn(query.text(name)),
};

/** The cursor of a page that begins there. */
export function cursorOf(place: FindPlace): string {
  const { before } = place;
  if (before === undefined) return encoded(place.among);
  const number = "position" in before ? before.position : before.endedAt;
  return encoded(`${place.among}.${number}.${before.id}`);
}

function encoded(text: string): string {
  return Buffer.from(text).toString("base64url");
}

function placeIn(cursor: string | undefined): FindPlace {
  if (cursor === undefined) return FIRST_PLACE;
  const text = Buffer.from(cursor, "base64url").toString();
  if (text === "finished") return { among: "finished", before: undefined };
  const [, among, number = "", id = ""] =
    /^(unfinished|finished)\.([0-9]{1,15}|[0-8][0-9]{15})\.([A-Za-z0-9_~-]{0,128})$/.exec(text) ?? [];
  if (among === "unfinished") return { among, before: { position: Number(number), id } };
  if (among === "finished") return { among, before: { endedAt: Number(number), id } };
  throw invalid("cursor", "must be a nextCursor of this path");
}

/** A text of this form; undefined if it is left out. */
function matching(description: string, form: RegExp, what: string): QueryParameter<string | undefined> {
  return {
    ...plainText(description, { pattern: form.source }),
    read(query, name) {
      const given = query.text(name);
      if (given === undefined || form.test(given)) return given;
      throw invalid(name, `must be ${what}`);
    },
  };
}

/** A time, ms since 1970. */
function time(description: string): QueryParameter<number | undefined> {
  return {
    ...plainText(`${description} ISO 8601, such as 2026-01-31T12:00:00Z, or ms since 1970.`),
    read(query, name) {
      const given = query.text(name);
      if (given === undefined) return undefined;
      const isIso =
        /^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;
      const ms = /^[0-9]{1,14}$/.test(given)
        ? Number(given)
        : isIso.test(given)
          ? Date.parse(given)
          : Number.NaN;
      if (ms >= 0) return ms;
      throw invalid(
        name,
        "must be a time like 2026-01-31T12:00:00Z, a day like 2026-01-31, or ms since 1970",
      );
    },
  };
}

function durationOf(given: string | undefined, name: string): number | undefined {
  if (given === undefined) return undefined;
  const ms = durationOrMilliseconds(given);
  if (ms === undefined) throw invalid(name, `must be ${DURATION_FORM}, or ms`);
  // Also jobs that never ran are meant by 0. None runs for longer than a database can count.
  return ms === 0 ? undefined : Math.min(ms, Number.MAX_SAFE_INTEGER);
}

function invalid(name: string, rule: string): ForebayError {
  return new ForebayError("INVALID_QUERY", `${name} is invalid; ${rule}.`);
}
