import { callServer } from "../server-call.ts";
import { parseManageCall } from "./manage-call.ts";

/** Seals all secrets of a server by a new key, and tells what is left to do. */
export async function rotateSecrets(args: string[]): Promise<void> {
  const { access, isJson } = parseManageCall(args, undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the rotation answers just this
  const answer = (await callServer(access, "/v1/secrets/rotate", '{"resealed":', {})) as Rotation;
  const { resealed, previousKeyRemoved } = answer;
  const next = previousKeyRemoved
    ? "The key before is gone from the key file."
    : "The previous key is needed no more: take it away, and start the servers again.";
  console.log(isJson ? JSON.stringify(answer) : `${resealed} secrets sealed by the newest key. ${next}`);
}

interface Rotation {
  readonly resealed: number;
  readonly previousKeyRemoved: boolean;
}
