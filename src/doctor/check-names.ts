import { z } from "zod";
import { whyUnreachable } from "../domain/endpoint-name.ts";
import { type Finding, warn } from "./finding.ts";
import { readAnswer } from "./read-answer.ts";

const PART = "server";

const ENDPOINTS = z.array(z.looseObject({ id: z.string(), name: z.string() }));

/** The names of all endpoints that the key may manage: whether they work in paths. */
export async function checkNames(origin: string, key: string): Promise<Finding[]> {
  const endpoints = await readAnswer(`${origin}/v1/endpoints`, ENDPOINTS, { authorization: `Bearer ${key}` });
  if (endpoints === undefined) return []; // the finding about the key says why
  const ids = new Set(endpoints.map(({ id }) => id));
  return endpoints.flatMap((endpoint) => {
    const { id, name } = endpoint;
    const reason = whyUnreachable(endpoint, (text) => ids.has(text));
    if (reason === undefined) return [];
    const mend = `Rename it: forebay endpoints update ${id} --name <name>.`;
    return [warn(PART, `the name of endpoint ${name} (${id}) does not work in paths: ${reason}`, mend)];
  });
}
