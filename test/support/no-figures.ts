const NONE = { count: 0 };

/** What statistics tell of a time in which nothing has happened. */
export const NO_FIGURES = {
  submitted: 0,
  taken: 0,
  completed: 0,
  failed: 0,
  timedOut: 0,
  cancelled: 0,
  retried: 0,
  lost: 0,
  delay: NONE,
  execution: NONE,
};

/** And of workers where there are none. */
export const NO_WORKERS = { idle: 0, running: 0, ready: 0, initializing: 0, throttled: 0, unhealthy: 0 };
