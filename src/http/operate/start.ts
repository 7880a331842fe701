import { operation } from "../operation.ts";

const TEXT = `This is Forebay, a serverless job queue.

console   /console
API page  /docs
OpenAPI   /openapi.json
health    /readyz
`;

/** A browser at the server's address gets the console; a terminal gets a list of what is here. */
export const start = operation({
  id: "start",
  method: "GET",
  path: "/",
  access: "anyone",
  tag: "server",
  summary: "Go to the console",
  answers: {
    302: {
      description: "The console is at `Location`. The body names what else is here.",
      mediaType: "text/plain",
      headers: { Location: { description: "`/console`.", schema: { type: "string" } } },
    },
  },
  handle: () => ({
    status: 302,
    headers: { location: "/console", "content-type": "text/plain; charset=utf-8" },
    body: TEXT,
  }),
});
