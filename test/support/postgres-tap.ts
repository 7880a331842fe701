import { clientMessages, statements } from "./postgres-messages.ts";
import { openPostgresProxy } from "./postgres-proxy.ts";

/** Stands before a PostgreSQL, passes everything on, and notes each statement that is run. */
export interface PostgresTap extends AsyncDisposable {
  /** The address of the database through the tap. */
  readonly url: string;
  /** The statements since the last call, in the order in which they were sent. */
  taken(): string[];
}

export async function tapPostgres(databaseUrl: string): Promise<PostgresTap> {
  let noted: string[] = [];
  const proxy = await openPostgresProxy(databaseUrl, (client, database) => {
    const { runBy } = statements();
    const read = clientMessages((message) => {
      const statement = runBy(message);
      if (statement !== undefined) noted.push(statement);
    });
    client.on("data", read);
    client.pipe(database).pipe(client);
  });
  return {
    url: proxy.url,
    taken() {
      const all = noted;
      noted = [];
      return all;
    },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  };
}
