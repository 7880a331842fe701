import type { Threat } from "./threat.ts";

const TENANCY = "S18: three accounts, every scope, every operation, every object";

/** The medium and low ones, under the numbers of the threat model. */
export const LESSER_THREATS: Readonly<Record<string, Threat>> = {
  T13: {
    says: "A body sets members that are not its sender's to set",
    does: "Records are made of the members that a schema names; the rest is left out or refused",
    shown: [
      ["http/spec/2.8-template.test.ts", "2.8 isPlatform: false, whatever the author says"],
      ["http/spec/2.8-template.test.ts", "2.8 earned: a number that the author does not set"],
      [
        "http/endpoint-fields.test.ts",
        "what is not the caller's to set, and what nobody knows, is refused and stored nowhere",
      ],
      ["http/keys.test.ts", "rateLimits are for admins to raise"],
    ],
  },
  T14: {
    says: "Names like `__proto__` in a body, an environment or a query change other objects",
    does: "Nothing is merged; such names are data, or refused",
    shown: [
      [
        "http/polluting-names.test.ts",
        "T14: names that pollute objects are data or refused, wherever they stand",
      ],
      [
        "http/inputs/data.test.ts",
        "input 6: names that pollute objects pass inside of input, and do nothing elsewhere",
      ],
    ],
  },
  T15: {
    says: "Another page has the browser of who is signed in at the console do something, or frames it",
    does:
      "The session is a cookie that goes with no other site's requests, and opens what changes something " +
      "only where Origin and Sec-Fetch-Site name this server; what changes something takes no GET of it; " +
      "nobody frames the console, and a host that another name points at has no cookie",
    shown: [
      ["http/console-session.test.ts", "T15: nothing changes by it unless a page of this server asks"],
      [
        "http/console-session.test.ts",
        "T15: a form or text that another page has sent changes nothing by it",
      ],
      ["http/console-session.test.ts", "T15: no GET changes anything by it, however it is written"],
      ["http/console-session.test.ts", "T15: no other page signs a person in, or out"],
    ],
  },
  T17: {
    says: "A GET that changes something is called by a prefetch, or with a key that may only read",
    does: "The one there is, `ttl` in a status, takes a key that may write",
    shown: [
      [
        "http/keys.test.ts",
        "T17: ttl in a status takes a key that may write, and without it changes nothing",
      ],
    ],
  },
  T18: {
    says: "Webhooks are used to flood a third party, or to look for open ports",
    does:
      "Few calls at once for each receiver, as many as it bears; ports of other protocols are " +
      "refused; what is inside fails in the words for a name without address",
    shown: [
      [
        "background/receiver-room.test.ts",
        "T18: one that is not known has 5, and those under way take from it",
      ],
      [
        "background/receiver-room.test.ts",
        "T18: one that refuses at once gets no more, one that hangs half as many, but one",
      ],
      [
        "outbound/names.test.ts",
        "that has only addresses inside is not called, in the words for a name that has none",
      ],
      ["outbound/spellings.test.ts", "of protocols other than HTTP are refused by their port"],
    ],
  },
  T19: {
    says: "Ids, names or outputs write lines into the log, or give orders to a terminal",
    does:
      "A log line is one line of JSON; control characters and those that turn text are written " +
      "as `\\u` there and in terminals",
    shown: [
      ["cli/hostile-texts.test.ts", "a line of the log is one line of the same JSON, whatever is in it"],
      [
        "cli/hostile-texts.test.ts",
        "names, outputs, errors and chunks are shown in a terminal, and not obeyed",
      ],
    ],
  },
  T20: {
    says: "Somebody finds out what others have: ids, names, how much they do",
    does:
      "Ids are random; a key is looked at before anything is looked up; names are unique within " +
      "an account; not there and not yours are one answer",
    shown: [
      ["http/tenancy.test.ts", TENANCY],
      ["http/keys.test.ts", "a key bound to endpoints opens those, and others are as if they were not there"],
      ["http/errors.test.ts", "a job of another endpoint is 404, as a job that does not exist"],
    ],
  },
};
