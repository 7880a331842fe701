/** Pages whose blocks cannot run yet. This list only shrinks, and is empty in the end. */
export const NOT_YET: readonly string[] = [
  "docs/deploy-a-worker.md",
  "docs/bring-a-model-server.md",
  "docs/command-line.md",
  "docs/errors.md",
  "docs/migrate.md",
  "docs/openai.md",
  "docs/streams.md",
  "docs/test-a-handler.md",
  "docs/worker-protocol.md",
  "docs/write-a-worker.md",
];
