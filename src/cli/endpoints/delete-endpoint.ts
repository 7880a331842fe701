import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import { CLIENT_FLAGS, type Command, type Flags } from "../command.ts";
import { callServer, connect, endpointInPath, type ServerAccess, callWithoutAnswer } from "../server-call.ts";
import { parseManageCall } from "../manage/manage-call.ts";
import { PATIENCE } from "../queue/wait-for-end.ts";
import { printJson } from "../terminal/print.ts";
import { watchUntil } from "../watch-until.ts";

const FLAGS = {
  drain: { type: "boolean", help: "wait until all running jobs have ended" },
} as const satisfies Flags;

/** Deletes an endpoint, at once or after its running jobs have ended. */
export const deleteEndpoint: Command = {
  words: "<endpoint>",
  about: `
Deletes an endpoint and removes its waiting jobs. Running jobs can end within
the drain grace of the server (default: 5 s), and are then cancelled. With
--drain the endpoint is paused first, and deleted when no job runs any more;
Ctrl-C stops that, and leaves it paused.
`,
  flags: { ...FLAGS, ...CLIENT_FLAGS },
  examples: ["forebay endpoints delete chat", "forebay endpoints delete chat --drain"],
  async run(args) {
    const { access, isJson, isSet, word } = parseManageCall(args, "id or name of the endpoint", FLAGS);
    const path = `/v1/endpoints/${endpointInPath(word)}`;
    // By the time it is drained, another endpoint may have its name.
    const { id } = await callServer<EndpointAnswer>(access, path, '{"id":');
    if (isSet("drain")) await drain(access, id);
    await callWithoutAnswer(access, `/v1/endpoints/${id}`, "DELETE");
    if (isJson) printJson({ id, deleted: true });
    else console.log(`${word} deleted`);
  },
};

async function drain(access: ServerAccess, id: string): Promise<void> {
  await callServer(access, `/v1/endpoints/${id}`, '{"id":', { isPaused: true }, "PATCH");
  const endpoint = connect(access).endpoint(id);
  const goOn = `The endpoint is paused, not deleted. To resume it: forebay endpoints resume ${id}`;
  await watchUntil(goOn, async (signal) => {
    const { jobs } = await endpoint.health({ patience: PATIENCE, signal });
    return jobs.inProgress === 0 ? undefined : `draining: ${jobs.inProgress} running`;
  });
}
