import type { Threat } from "./threat.ts";

const TENANCY = "S18: three accounts, every scope, every operation, every object";
const CANARIES = "T4, T5, T8, T9: canary secrets are seen where they belong, and nowhere else (S17)";

/** The critical and high ones, under the numbers of the threat model. */
export const GRAVE_THREATS: Readonly<Record<string, Threat>> = {
  T1: {
    says: "Somebody reaches the API without a secret, or with one that everybody knows, and runs code",
    does:
      "Every path that shows or changes data asks for a key, on every address. There is no default " +
      "key: the first is made of random bits, and shown once",
    shown: [
      [
        "http/tenancy.test.ts",
        "without a key, or with one that is not known, only what needs no key answers",
      ],
      ["http/tenancy.test.ts", "every route has a row here, with the access of its definition"],
      ["e2e/start.test.ts", "prints a call that the example worker answers, and the key only once"],
    ],
  },
  T2: {
    says: "A webhook is sent to something inside: the metadata of a cloud, a neighbour, the server itself",
    does:
      "Only addresses of the internet are connected to, checked at the connection and in every " +
      "spelling; no redirect is followed; what is inside has to be on a list",
    shown: [
      [
        "http/webhooks.test.ts",
        "T2: what can never be called makes no job, and the refusal names the setting",
      ],
      [
        "outbound/spellings.test.ts",
        "are refused in all spellings, before and in the call, and nothing is connected to",
      ],
      ["outbound/names.test.ts", "that moves inside is looked at once a call, and called where it was then"],
      ["outbound/hostile-receivers.test.ts", "a receiver (threats T2 and T6, tests S15)"],
    ],
  },
  T3: {
    says: "A template reaches the host that its workers run on: by its image name, a mount, a variable",
    does:
      "Names, paths, ports and variables have grammars that leave no room for it; an engine gets " +
      "a fixed list of members as data, and a process runs only what the operator has registered",
    shown: [
      [
        "http/hostile-templates.test.ts",
        "%s: %s is refused by name in create, update and PATCH, and leaves nothing",
      ],
      [
        "http/hostile-templates.test.ts",
        "members that would mean something to an engine are neither stored nor answered",
      ],
      ["http/templates.test.ts", "is refused, new or changed, with %j (threat T3)"],
      ["docker/containers.test.ts", "is told exactly this, and nothing of a template reaches further"],
      [
        "docker/containers.test.ts",
        "T3: what looks like options, commands or more variables is data: each text stays one",
      ],
      [
        "fleet/process-provider.test.ts",
        "get exactly their arguments and environment, and a fresh directory",
      ],
    ],
  },
  T4: {
    says: "An account reads or changes what belongs to another one",
    does:
      "Every look-up names the account or its endpoint; what is not yours is answered as what " +
      "is not there",
    shown: [
      ["http/tenancy.test.ts", TENANCY],
      ["http/tenancy.test.ts", "jobs of another account are not found on one's own endpoint"],
      ["http/tenancy-sequences.test.ts", "they came upon every kind of answer"],
      [
        "http/tenancy.test.ts",
        "templates take registry logins of their own account, and others are not found",
      ],
      [
        "docker/image-contract.ts",
        "T4: pulled with a login are run by nobody without one, by tag, digest or id",
      ],
    ],
  },
  T5: {
    says: "A worker reports or takes what is not its own",
    does:
      "Its token opens the worker paths of one endpoint; a report counts only for the job and " +
      "attempt that the worker holds",
    shown: [
      ["http/tenancy.test.ts", "a worker's token opens nothing but the paths of its own endpoint's workers"],
      [
        "http/worker-routes.test.ts",
        "late, duplicate and foreign results are answered 200, counted, and change nothing",
      ],
      ["canaries/canaries.test.ts", CANARIES],
    ],
  },
  T7: {
    says: "What a client, a worker or an author of a template writes runs as a script in the console",
    does:
      "It is put into the page as text alone, a readme too, which is drawn from its tokens without any " +
      "HTML; a policy lets nothing run but the console's own files, and no text become a script",
    shown: [
      [
        "browser/console-hostile.test.ts",
        "S19: 120 hostile payloads at the console, in Chromium (threats T7 and T19)",
      ],
      [
        "http/console-session.test.ts",
        "T7: are served with a policy by which nothing else runs, and no text becomes a script",
      ],
      [
        "architecture.test.ts",
        "the console asks the server through one file, shares named files, and makes no HTML",
      ],
    ],
  },
  T8: {
    says: "Who has the disk, the WAL, a dump or a backup has the secrets in it",
    does:
      "They are sealed with AES-256-GCM, each bound to its row, by a key outside of the data " +
      "that is changed while the server runs; keys and tokens are kept as digests",
    shown: [
      ["canaries/canaries.test.ts", CANARIES],
      ["engine/secret-box.test.ts", "a sealed value that was moved or changed does not open"],
      [
        "e2e/rotate-secrets.test.ts",
        "T8: a kill at any point of a rotation loses no secret, and the next one finishes it",
      ],
      [
        "postgres/rotate-secrets.test.ts",
        "T8: a new key for two servers, one restart after the other; the old one is refused",
      ],
    ],
  },
  T9: {
    says:
      "A secret goes where it does not belong: a status, a webhook, an error, the log, the list " +
      "of processes",
    does:
      "Secrets are in the one answer that they are for; the log has named fields, never bodies " +
      "or headers",
    shown: [
      ["canaries/canaries.test.ts", CANARIES],
      ["e2e/start.test.ts", "workers see three variables of the server's environment, and no secret of it"],
      [
        "http/spec/2.3-s3-config.test.ts",
        "2.3 handed over: it reaches the worker as it was sent, and stands in no answer",
      ],
      ["docker/image-contract.ts", "T9: a registry that repeats the login gets it into no reason and no log"],
    ],
  },
  T10: {
    says:
      "A key is stolen from the database, guessed, or found by how long its refusal takes; or the cookie " +
      "of a console session is copied",
    does:
      "256 random bits, kept as SHA-256, found by the id in the key and compared in constant " +
      "time; revoked at once, parked calls too; signing out ends the session on every server",
    shown: [
      [
        "http/console-sign-out.test.ts",
        "a copy of the cookie opens nothing any more; other sessions of the key go on",
      ],
      ["http/key-timing.test.ts", "T10: how long a wrong key takes does not tell how much of it is right"],
      [
        "http/keys.test.ts",
        "T10: a key is taken raw and as a Bearer token in any case, and no other text is",
      ],
      ["http/keys.test.ts", "T10: a revoked key"],
      ["postgres/notifications.test.ts", "T10: the end of a key, parked calls too"],
    ],
  },
  T11: {
    says: "A proxy and the server see different requests in the same bytes",
    does: "What leaves open where a request ends, or for whom it is, is refused and the connection closed",
    shown: [
      ["http/inputs/raw-http.test.ts", "input 18: requests that servers understand differently"],
      [
        "http/inputs/raw-http.test.ts",
        "input 18: paths are taken as they are sent: no slash too many, no dots, no other host",
      ],
      ["http/inputs/raw-http.test.ts", "two hosts"],
      ["http/inputs/raw-http.test.ts", "chunks of HTTP/1.0"],
    ],
  },
  T12: {
    says: "Somebody else calls a receiver in our name, or sends a call of ours again",
    does: "Each call is signed by Standard Webhooks, with a time and an id; TLS is always verified",
    shown: [
      ["http/webhooks.test.ts", "T12: each call is signed, as the package standardwebhooks verifies it"],
      [
        "http/webhooks.test.ts",
        "T12: after a rotation both secrets sign until the overlap ends, then the new one",
      ],
      ["outbound/tls-receivers.test.ts", "a receiver with TLS (threat T12: it is always verified)"],
    ],
  },
};
