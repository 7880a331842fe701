import { randomBytes } from "node:crypto";
import { formsOf } from "./forms-of.ts";

/** Where each secret may be seen; it may be nowhere else, in whatever form. */
export const PLACES = {
  adminKey: [],
  accountKey: ["answer of POST /v1/keys"],
  workerToken: ["answer of POST /v1/endpoints/workers"],
  s3AccessId: ["answer of job-take"],
  s3AccessSecret: ["answer of job-take"],
  templateValue: [
    "answer of POST /v1/templates",
    "answer of GET /v1/templates",
    "answer of PATCH /v1/templates",
  ],
  endpointValue: ["answer of POST /v1/endpoints", "answer of GET /v1/endpoints"],
  registryUsername: [],
  registryPassword: [],
  webhookPassword: ["answer of job-take", "webhook"],
  webhookQuery: ["answer of job-take", "webhook"],
  webhookSecret: ["answer of GET /v1/endpoints/webhook-secret"],
  webhookHeader: ["webhook"],
  cookie: [],
  session: ["answer of POST /console/session"],
  encryptionKey: [],
  previousEncryptionKey: [],
  databasePassword: [],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Canary = keyof typeof PLACES;

export const CANARIES = Object.keys(PLACES).filter((name): name is Canary => name in PLACES);

/** The canaries of one run, and where they were seen. */
export interface Aviary {
  /** Letters and digits. */
  text(canary: Canary): string;
  /** A secret that the server made: what it has of letters and digits in one piece is looked for. */
  adopt(canary: Canary, secret: string): void;
  /** Looks for all canaries in what was seen at a place. */
  look(place: string, seen: string | Uint8Array): void;
  /** Canaries where none may be, each with its place. */
  escaped(): string[];
  /** Places where canaries must have been seen, and were not: there the look was at nothing. */
  unseen(): string[];
}

export function aviary(): Aviary {
  const forms = new Map<Canary, Buffer[]>();
  const texts = new Map<Canary, string>();
  const seenAt = new Set<string>();
  const adopt = (canary: Canary, text: string): void => {
    texts.set(canary, text);
    forms.set(
      canary,
      formsOf(text).map((form) => Buffer.from(form)),
    );
  };
  for (const canary of CANARIES) adopt(canary, `c${randomBytes(16).toString("hex")}`.replaceAll("0", "Z"));

  return {
    text: (canary) => texts.get(canary) ?? "",

    adopt(canary, secret) {
      const pieces = secret.match(/[A-Za-z0-9]{8,}/g) ?? [];
      const longest = pieces.toSorted((a, b) => b.length - a.length)[0];
      if (longest === undefined) throw new Error(`${canary} has no piece to look for`);
      adopt(canary, longest);
    },

    look(place, seen) {
      const bytes = Buffer.from(seen);
      for (const [canary, all] of forms) {
        if (all.some((form) => bytes.includes(form))) seenAt.add(`${canary} in ${place}`);
      }
    },

    escaped: () => [...seenAt].filter((seen) => !ALLOWED.has(seen)).toSorted(),
    unseen: () => [...ALLOWED].filter((allowed) => !seenAt.has(allowed)),
  };
}

const ALLOWED: ReadonlySet<string> = new Set(
  CANARIES.flatMap((canary) => PLACES[canary].map((place) => `${canary} in ${place}`)),
);
