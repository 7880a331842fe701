import { CLIENT_FLAGS, type Command } from "../command.ts";
import { checkedId, parseManageCall } from "../manage/manage-call.ts";
import { serverText } from "../server-call.ts";
import { shown } from "../terminal/shown.ts";
import { endpointInPath } from "../endpoint-in-path.ts";

/** Prints the input of a job as it was sent. */
export const input: Command = {
  words: "<endpoint> <job>",
  about: "Prints the input of a job, byte for byte as it was sent.",
  flags: CLIENT_FLAGS,
  examples: ["forebay input chat $JOB > input.json", "forebay input chat $JOB | forebay run chat -"],
  async run(args) {
    const { access, words } = parseManageCall(args, ["id or name of the endpoint", "id of the job"]);
    const [endpoint = "", job = ""] = words;
    const path = `/v1/endpoints/${endpointInPath(endpoint)}/jobs/${checkedId("a job", job)}/input`;
    console.log(shown(await serverText(access, path)));
  },
};
