/** What the checker says of a run in which nothing was wrong. */
export const FAULTLESS = {
  lost: [],
  unexpected: [],
  duplicated: [],
  illegal: [],
  changed: [],
  chunks: [],
  counters: [],
  unfinished: [],
  webhooks: [],
  answers: [],
};
