// Where BullMQ keeps its jobs: `redis:PORT` or the address of a PostgreSQL database.
import { createPostgresBackend } from "bullmq";

/** What a Queue or a Worker takes behind its options; `connections` are of PostgreSQL. */
export function backendOf(store, connections) {
  const redis = /^redis:(\d+)$/.exec(store);
  if (redis) return { connection: { host: "127.0.0.1", port: Number(redis[1]) }, backend: [] };
  const connection = { connectionString: store, max: connections, migrate: true };
  return { connection, backend: [createPostgresBackend] };
}
