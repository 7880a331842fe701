/** What stands above all operations, in Markdown. */
export const INTRODUCTION = `Forebay is a serverless job queue. Submit a job to an endpoint with \`run\` or
\`runsync\`; a worker takes it, and its result comes back by \`runsync\`, \`status\` or \`stream\`.

**Keys.** Send \`Authorization: Bearer <key>\`, or the key as it is. A key has scopes, each containing
those before it: read, write, manage, admin; every operation names the one that it needs. Workers have
tokens of their own.

**Endpoints** stand in a path by their id or their name. **Bodies** are JSON, whatever content type they have.
HEAD works wherever GET only reads.

**Errors** are JSON: what was wrong and what to do, a \`code\`, and the status. 429 and 503 tell in
\`Retry-After\` when to try again. A path with another method is answered 405 \`METHOD_NOT_ALLOWED\`, any
other path 404 \`ROUTE_NOT_FOUND\`. Only the runtime's own refusals of malformed HTTP (400, 413, 431, 505)
have no body.

**Dialects.** Every path is there a second time under \`/sdk\`, where \`stream\` answers an object, a
running job shows its last progress value as \`output\`, and templates have \`isRunpod\`: what the public
SDKs expect. \`/sdk/openapi.json\` describes it.`;
