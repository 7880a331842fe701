import type { Route } from "./route.ts";

const TEXT = `This is Forebay, a serverless job queue.

console   /console
API page  /docs
OpenAPI   /openapi.json
health    /readyz
`;

/** Whoever opens the server's address in a browser gets the console, and at a terminal what there is. */
export const startRoute: Route = {
  methods: ["GET"],
  path: "/",
  handle: () => ({
    status: 302,
    headers: { location: "/console", "content-type": "text/plain; charset=utf-8" },
    body: TEXT,
  }),
};
