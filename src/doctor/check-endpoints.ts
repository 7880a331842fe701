import { z } from "zod";
import { whyUnreachable } from "../domain/endpoint-name.ts";
import { readAnswer } from "./ask-server.ts";
import { type Finding, ok, warn } from "./finding.ts";

const SERVER = "server";

const NAMED_ENDPOINTS = z.array(z.looseObject({ id: z.string(), name: z.string() }));

/** Checks whether the names of all endpoints that the key may manage work in paths. */
export async function checkNames(origin: string, key: string): Promise<Finding[]> {
  const endpoints = await readAnswer(`${origin}/v1/endpoints`, NAMED_ENDPOINTS, {
    authorization: `Bearer ${key}`,
  });
  if (endpoints === undefined) return []; // the finding about the key says why
  const ids = new Set(endpoints.map(({ id }) => id));
  return endpoints.flatMap((endpoint) => {
    const { id, name } = endpoint;
    const reason = whyUnreachable(endpoint, (text) => ids.has(text));
    if (reason === undefined) return [];
    const mend = `Rename it: forebay endpoints update ${id} --name <name>.`;
    return [warn(SERVER, `the name of endpoint ${name} (${id}) does not work in paths: ${reason}`, mend)];
  });
}

const WORKERS = "workers";

/** How many ids a warning names. */
const NAMED = 3;

const ENDPOINTS = z.array(
  z.looseObject({
    id: z.string(),
    name: z.string(),
    workers: z.array(z.looseObject({ id: z.string(), heartbeats: z.boolean() })),
  }),
);

type Endpoint = z.infer<typeof ENDPOINTS>[number];

/** Checks whether the workers of all endpoints that the key may manage send heartbeats. */
export async function checkWorkers(origin: string, key: string): Promise<Finding[]> {
  const endpoints = await readAnswer(`${origin}/v1/endpoints?includeWorkers=true`, ENDPOINTS, {
    authorization: `Bearer ${key}`,
  });
  if (endpoints === undefined) return []; // the findings about the key and the version say why
  const silent = endpoints.flatMap((endpoint) => silentOf(endpoint));
  const count = endpoints.reduce((sum, { workers }) => sum + workers.length, 0);
  return silent.length > 0 || count === 0 ? silent : [ok(WORKERS, "all workers send heartbeats")];
}

function silentOf({ id, name, workers }: Endpoint): Finding[] {
  const silent = workers.filter(({ heartbeats }) => !heartbeats);
  if (silent.length === 0) return [];
  const ids = silent.slice(0, NAMED).map((worker) => worker.id);
  const named = ids.join(", ") + (silent.length > NAMED ? ", …" : "");
  const who = silent.length === 1 ? "1 worker does" : `${silent.length} workers do`;
  const said = `${who} not send heartbeats at endpoint ${name} (${id}): ${named}`;
  const mend = "Set RUNPOD_POD_ID to a different value for each worker: forebay worker env --many shows how.";
  return [warn(WORKERS, said, mend)];
}
