import type { WebhookSecretAnswer } from "../../http/answers/webhook.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { type ManageCall, parseManageCall } from "../manage/manage-call.ts";
import { callServer, endpointInPath } from "../server-call.ts";
import { printRecord } from "../terminal/print.ts";
import { durationOf } from "../duration-of.ts";

const ROTATE_FLAGS = {
  overlap: {
    type: "string",
    value: "<time>",
    help: "how long the old secret also signs, such as 60s, 5m or 1h; default: 24h",
  },
} as const satisfies Flags;

const ID = "id or name of the endpoint";

/** Prints the signing secret of the webhooks of an endpoint. */
export const showWebhookSecret: Command = {
  words: "<endpoint>",
  about: "Prints the secret that signs the webhooks of the endpoint. Keep it secret.",
  flags: CLIENT_FLAGS,
  examples: ["forebay webhooks secret chat"],
  async run(args) {
    const call = parseManageCall(args, ID);
    print(call, await callServer<WebhookSecretAnswer>(call.access, pathOf(call), '{"secret":'));
  },
};

/** Rotates the signing secret. */
export const rotateWebhookSecret: Command = {
  words: "<endpoint>",
  about: "Creates a new secret and prints it. During the overlap both sign each webhook.",
  flags: { ...ROTATE_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay webhooks rotate-secret chat --overlap 1h"],
  async run(args) {
    const call = parseManageCall(args, ID, ROTATE_FLAGS);
    const overlap = call.text("overlap");
    const body = overlap === undefined ? {} : { overlapMs: durationOf("--overlap", overlap) };
    print(
      call,
      await callServer<WebhookSecretAnswer>(call.access, `${pathOf(call)}/rotate`, '{"secret":', body),
    );
  },
};

function pathOf({ word }: ManageCall): string {
  return `/v1/endpoints/${endpointInPath(word)}/webhook-secret`;
}

function print({ isJson }: ManageCall, answer: WebhookSecretAnswer): void {
  const { secret, previousSecret, previousUntil } = answer;
  printRecord(isJson, answer, { secret, before: previousSecret, "before until": previousUntil });
}
