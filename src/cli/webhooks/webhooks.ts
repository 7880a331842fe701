import type { RedeliveredAnswer, WebhookAnswer, WebhooksAnswer } from "../../http/answers/webhook.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { CommandFault } from "../command-fault.ts";
import { checkedId, type ManageCall, MORE, parseManageCall } from "../manage/manage-call.ts";
import { callServer, endpointInPath } from "../server-call.ts";
import { type Column, printJson, printTable } from "../terminal/print.ts";

const COLUMNS: readonly Column<WebhookAnswer>[] = [
  { title: "ID", text: ({ id }) => id },
  { title: "STATUS", text: ({ status }) => status },
  { title: "TRIES", text: ({ attempts }) => String(attempts) },
  { title: "RECEIVER", text: ({ receiver }) => receiver },
  { title: "ANSWER", text: ({ responseStatus, error }) => responseStatus?.toString() ?? error ?? "" },
  { title: "CREATED", text: ({ createdAt }) => createdAt },
];

const STATUS = { type: "string", value: "<state>" } as const;

const LIST_FLAGS = {
  status: { ...STATUS, help: "only those in this state: PENDING, DELIVERED or FAILED" },
  limit: { type: "string", value: "<number>", help: "how many, up to 1000; default: 100" },
  cursor: { type: "string", value: "<cursor>", help: "continue where the previous list ended" },
} as const satisfies Flags;

const REDELIVER_FLAGS = {
  from: { type: "string", value: "<time>", help: "jobs that ended from this time on: 2026-01-31T12:00:00Z" },
  to: { type: "string", value: "<time>", help: "jobs that ended before this time" },
  status: { ...STATUS, help: "only webhooks in this state; default: FAILED" },
} as const satisfies Flags;

const ID = "id or name of the endpoint";

/** Lists the webhooks of an endpoint. */
export const listWebhooks: Command = {
  words: "<endpoint>",
  about: "Lists the webhooks of an endpoint and their states, the newest first.",
  flags: { ...LIST_FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay webhooks list chat --status FAILED"],
  async run(args) {
    const call = parseManageCall(args, ID, LIST_FLAGS);
    const given = Object.keys(LIST_FLAGS).flatMap((flag): [string, string][] => {
      const value = call.text(flag);
      return value === undefined ? [] : [[flag, value]];
    });
    const path = `${pathOf(call)}?${new URLSearchParams(given).toString()}`;
    const answer = await callServer<WebhooksAnswer>(call.access, path, '{"webhooks":');
    printTable(call.isJson, answer, answer.webhooks, COLUMNS, "no webhook");
    if (call.isJson || answer.nextCursor === undefined) return;
    const status = call.text("status");
    const flags = status === undefined ? "" : `--status ${status} `;
    console.log(`There are more: forebay webhooks list ${call.word} ${flags}--cursor ${answer.nextCursor}`);
  },
};

/** Sends a webhook again, or all webhooks of a range of time. */
export const redeliver: Command = {
  words: "<endpoint> [webhook]",
  about: `
Sends one webhook again, with the same id and body. With --from and --to it
sends those of all jobs that ended in this time.
`,
  flags: { ...REDELIVER_FLAGS, ...CLIENT_FLAGS },
  examples: [
    "forebay webhooks redeliver chat $WEBHOOK",
    "forebay webhooks redeliver chat --from 2026-01-31T12:00:00Z --to $NOW",
  ],
  async run(args) {
    const call = parseManageCall(args, [ID, MORE], REDELIVER_FLAGS);
    const [webhook, surplus] = call.rest;
    const { access, isJson, text } = call;
    const [from, to] = [text("from"), text("to")];
    const isRange = from !== undefined && to !== undefined;
    if (surplus !== undefined || (webhook === undefined) !== isRange) {
      throw new CommandFault("name one webhook by its id, or give --from and --to. See --help.");
    }
    if (webhook === undefined) {
      const body = { from, to, status: text("status") };
      const answer = await callServer<RedeliveredAnswer>(
        access,
        `${pathOf(call)}/redeliver`,
        '{"redelivered":',
        body,
      );
      if (isJson) printJson(answer);
      else console.log(`${answer.redelivered} webhooks are sent again`);
      return;
    }
    const path = `${pathOf(call)}/${checkedId("a webhook", webhook)}/redeliver`;
    const sent = await callServer<WebhookAnswer>(access, path, '{"id":', {});
    printTable(isJson, sent, [sent], COLUMNS, "");
  },
};

function pathOf({ word }: ManageCall): string {
  return `/v1/endpoints/${endpointInPath(word)}/webhooks`;
}
