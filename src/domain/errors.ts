/**
 * Every error that a user can cause: its HTTP status and its meaning. The sentence in the answer says what
 * was wrong and what to do; the code that finds the error writes it. A code never gets another meaning.
 */
export const ERRORS = {
  MALFORMED_JSON: { status: 400, meaning: "The body is not one JSON document in UTF-8." },
  INVALID_FIELD: { status: 400, meaning: "A member of the body is missing or has an invalid value." },
  INVALID_QUERY: { status: 400, meaning: "A query parameter has an invalid value." },
  INVALID_HEADER: { status: 400, meaning: "A header is missing, sent twice or malformed." },
  INCOMPLETE_BODY: { status: 400, meaning: "The connection ended before the whole body arrived." },
  NOT_RETRYABLE: { status: 400, meaning: "Only a job that is FAILED or TIMED_OUT can be retried." },
  NAME_TAKEN: { status: 400, meaning: "The account already has a record of this kind with this name or id." },
  CHANGED_MEANWHILE: { status: 400, meaning: "Another call changed the record at the same time." },
  IDEMPOTENCY_MISMATCH: { status: 400, meaning: "The Idempotency-Key was used before with another body." },
  KEY_NOT_REPLACEABLE: { status: 400, meaning: "The servers do not have the keys that a rotation needs." },
  WORKER_NOT_MANAGED: {
    status: 400,
    meaning: "Forebay does not start this worker, or the worker shares its token with others.",
  },
  RELEASE_NOT_ROLLING: { status: 400, meaning: "Only a release that replaces workers can be paused." },
  BACKUP_RUNNING: { status: 400, meaning: "A backup of the server is already running." },
  NOT_IN_DIRECTORY: {
    status: 400,
    meaning: "The server's data is in PostgreSQL or in memory, so the server cannot back it up.",
  },
  HOST_CONFIGURED: {
    status: 400,
    meaning: "The host is set in the configuration of the server, so no call can delete it.",
  },
  IN_USE: { status: 400, meaning: "Another record still needs this one." },
  LIMIT_REACHED: { status: 400, meaning: "The account has reached a limit that the operator sets." },
  TOO_MANY_JOBS: { status: 400, meaning: "The filter matches more jobs than one operation can have." },
  KEY_MISSING: { status: 401, meaning: "The request has no Authorization header." },
  KEY_UNKNOWN: {
    status: 401,
    meaning: "The key or token in the Authorization header is unknown or malformed.",
  },
  KEY_NOT_ALLOWED: { status: 401, meaning: "The key or token is known, but does not allow this call." },
  ROUTE_NOT_FOUND: { status: 404, meaning: "There is no such path." },
  NOT_SUPPORTED: {
    status: 404,
    meaning: "Forebay does not have this part of the public API, such as pods and billing.",
  },
  ENDPOINT_NOT_FOUND: { status: 404, meaning: "There is no endpoint with this id or name." },
  JOB_NOT_FOUND: { status: 404, meaning: "There is no job with this id, or its result has expired." },
  INPUT_NOT_KEPT: { status: 404, meaning: "The history has the job, but not its input." },
  TEMPLATE_NOT_FOUND: { status: 404, meaning: "There is no template with this id." },
  REGISTRY_LOGIN_NOT_FOUND: { status: 404, meaning: "There is no registry login with this id." },
  HOST_NOT_FOUND: { status: 404, meaning: "There is no host with this name." },
  RELEASE_NOT_FOUND: {
    status: 404,
    meaning: "The endpoint has no release with this version, or has deleted it.",
  },
  ACCOUNT_NOT_FOUND: { status: 404, meaning: "There is no account with this id or name." },
  DELIVERY_NOT_FOUND: { status: 404, meaning: "There is no webhook with this id, or its retention is over." },
  WORKER_NOT_FOUND: { status: 404, meaning: "The endpoint has no worker with this id." },
  NO_LOGS: { status: 404, meaning: "This server has no logs of the worker." },
  KEY_NOT_FOUND: { status: 404, meaning: "There is no key with this id." },
  JOB_OPERATION_NOT_FOUND: {
    status: 404,
    meaning: "There is no job operation with this id, or it ended more than a day ago.",
  },
  METHOD_NOT_ALLOWED: { status: 405, meaning: "The path exists, but not with this method." },
  BODY_TOO_SLOW: { status: 408, meaning: "The body did not arrive in time." },
  BODY_TOO_LARGE: { status: 413, meaning: "The body is larger than this path allows." },
  MEDIA_TYPE_NOT_SUPPORTED: {
    status: 415,
    meaning:
      "The body is compressed with something other than gzip or deflate, or a web page sent something " +
      "other than JSON without a key in the header.",
  },
  RATE_LIMITED: { status: 429, meaning: "This operation had too many requests within 10 s." },
  TOO_MANY_AT_ONCE: { status: 429, meaning: "This operation has too many requests in flight." },
  TOO_MANY_OPERATIONS: {
    status: 429,
    meaning: "The account already runs as many operations on jobs as it can.",
  },
  QUEUE_FULL: {
    status: 429,
    meaning: "Too many jobs, or too many bytes, wait in the endpoint, the account or the server.",
  },
  INTERNAL: {
    status: 500,
    meaning: "A fault of the server. The answer has the id of its log entry.",
  },
  PAYLOAD_DAMAGED: {
    status: 500,
    meaning: "The stored data of the job is damaged. `forebay doctor` names the file or row.",
  },
  STORAGE_FULL: { status: 503, meaning: "The server has no space to store more." },
  OVERLOADED: {
    status: 503,
    meaning: "The server is receiving or sending as much as its memory allows. Try again in a moment.",
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    meaning: "The database or the data directory does not answer. Try again in a moment.",
  },
  STARTING: { status: 503, meaning: "The server is starting. Try again in a moment." },
  SHUTTING_DOWN: { status: 503, meaning: "The server is stopping. Try again in a moment." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** The `code` of errors of Node, Bun and SQLite; empty if there is none. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** Adds the path of the file to the error. The runtime leaves it out if an open file is read. */
export function withPath(error: unknown, path: string): unknown {
  return error instanceof Error && !("path" in error) ? Object.assign(error, { path }) : error;
}

/** An error for the user: the answer has the status of its code, and its sentence. */
export class ForebayError extends Error {
  readonly code: ErrorCode;
  /** After how many seconds the same call may succeed. */
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, sentence: string, retryAfter?: number) {
    super(sentence);
    this.name = "ForebayError";
    this.code = code;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** The error of a step that comes after the store was closed. */
export function storeClosed(): ForebayError {
  return new ForebayError(
    "SHUTTING_DOWN",
    "The server is stopping, so nothing was stored. Try again in a moment.",
  );
}

export function storageFull(): ForebayError {
  return new ForebayError(
    "STORAGE_FULL",
    "The server's disk is full, so nothing was stored. Try again when it has space.",
  );
}

/** Whether the process, or the whole system, can open no more files or connections. */
export function isOutOfDescriptors(error: unknown): boolean {
  return ["EMFILE", "ENFILE"].includes(errorCode(error));
}

export function descriptorsUsedUp(): ForebayError {
  return new ForebayError(
    "OVERLOADED",
    "The server has reached its limit of open files and connections. Try again in a moment.",
  );
}

/** A stored payload is missing or damaged. Only its job is affected. */
export class PayloadDamaged extends ForebayError {
  /** The file or row, and what is wrong with it, for the log. */
  readonly where: string;

  constructor(where: string) {
    super(
      "PAYLOAD_DAMAGED",
      "The data that the server stored for this job is damaged and cannot be read. Submit the job again. " +
        "The server's log and `forebay doctor` name the damaged file.",
    );
    this.where = where;
  }
}

/** Temporary errors of the operating system: too many open files, no memory, a disk that did not answer. */
const TEMPORARY: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EIO",
  "EAGAIN",
  "EBUSY",
  "EINTR",
  "ESTALE",
  "ETIMEDOUT",
]);

export function isTemporary(error: unknown): boolean {
  return TEMPORARY.has(errorCode(error));
}

export function storageUnreadable(cause: unknown): ForebayError {
  const error = new ForebayError(
    "STORAGE_UNAVAILABLE",
    "The server cannot read its data directory. Try again in a moment.",
  );
  error.cause = cause;
  return error;
}

/** The row of a job was removed after it was read, and its payload with it. */
export function resultExpired(): ForebayError {
  return new ForebayError("JOB_NOT_FOUND", "The result of the job has just expired. Submit the job again.");
}
