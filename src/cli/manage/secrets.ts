import { CLIENT_FLAGS, type Command } from "../command.ts";
import { callServer } from "../server-call.ts";
import { parseManageCall } from "./manage-call.ts";

/** Encrypts all secrets of a server with a new key, and says what is left to do. */
export const rotateSecrets: Command = {
  about: `
Seals all secrets at rest by the newest key, while the server runs. A server
alone on its data that keeps its key in a file makes a new key first, and
removes the one before at the end. Elsewhere every server is given the new key
as FOREBAY_SECRET_KEY and the present one as FOREBAY_SECRET_KEY_PREVIOUS
before. Call it again if it was cut: it goes on.
`,
  flags: CLIENT_FLAGS,
  examples: ["forebay secrets rotate"],
  async run(args) {
    const { access, isJson } = parseManageCall(args, undefined);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rotation answers just this
    const answer = (await callServer(access, "/v1/secrets/rotate", '{"resealed":', {})) as Rotation;
    const { resealed, previousKeyRemoved } = answer;
    const next = previousKeyRemoved
      ? "The key before is gone from the key file."
      : "The previous key is needed no more: take it away, and start the servers again.";
    console.log(isJson ? JSON.stringify(answer) : `${resealed} secrets sealed by the newest key. ${next}`);
  },
};

interface Rotation {
  readonly resealed: number;
  readonly previousKeyRemoved: boolean;
}
