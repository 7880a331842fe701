import type { Flags } from "./command.ts";

/** The settings of the encryption keys, for commands that work on a data directory. */
export const KEY_FLAGS = {
  "secret-key": {
    type: "string",
    value: "<key>",
    help: "what the secrets are encrypted with; else FOREBAY_SECRET_KEY, else the key file",
  },
  "secret-key-previous": {
    type: "string",
    value: "<key>",
    help: "the one before, where the server has it; else FOREBAY_SECRET_KEY_PREVIOUS",
  },
  "secret-key-file": {
    type: "string",
    value: "<file>",
    help: "the key file; else FOREBAY_SECRET_KEY_FILE, else <directory>.key",
  },
} as const satisfies Flags;
