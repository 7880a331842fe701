/** Pages whose blocks cannot run yet. This list only shrinks, and is empty in the end. */
export const NOT_YET: readonly string[] = [
  "docs/production.md",
  "docs/bring-a-model-server.md",
  "docs/client.md",
  "docs/command-line.md",
  "docs/develop.md",
  "docs/docker.md",
  "docs/errors.md",
  "docs/migrate.md",
  "docs/openai.md",
  "docs/streams.md",
  "docs/templates.md",
  "docs/test-a-handler.md",
  "docs/webhooks.md",
  "docs/worker-protocol.md",
  "docs/write-a-python-worker.md",
  "docs/write-a-worker.md",
];
