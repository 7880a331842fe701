import type { EndpointAnswer } from "../../http/answers/endpoint.ts";
import type { TemplateAnswer } from "../../http/answers/template.ts";
import { CommandFault } from "../command-fault.ts";
import { callServer, type ServerAccess } from "../server-call.ts";

type Body = Readonly<Record<string, unknown>>;

/** It has every member that a body can set. */
type Named = Body & Pick<EndpointAnswer | TemplateAnswer, "id" | "name">;

/** The records with this name on the server. */
interface Deployed {
  readonly template: TemplateAnswer | undefined;
  readonly endpoint: EndpointAnswer | undefined;
}

interface Applied {
  readonly endpoint: EndpointAnswer;
  /** What was done, in sentences; empty if nothing differed. */
  readonly done: readonly string[];
  /** Whether workers now start from something else. */
  readonly beginsRelease: boolean;
}

/** Members as the flags set them. Values can be secrets and are not shown. */
const WORDS: Readonly<Record<string, string>> = {
  imageName: "image",
  dockerStartCmd: "command",
  containerDiskInGb: "disk",
  templateId: "template",
  gpuCount: "gpus",
  gpuTypeIds: "gpu types",
  hostLabel: "host label",
  workersMin: "min",
  workersMax: "max",
  idleTimeout: "idle timeout",
};

/** An image that was just built has the worker's files inside. */
const NEW_TEMPLATE = { volumeInGb: 0 };

/** The template and the endpoint of this name. Throws as each call does. */
export async function deployedAs(access: ServerAccess, name: string): Promise<Deployed> {
  const byName = <Each extends Named>(records: readonly Each[]) => records.find((one) => one.name === name);
  const templates = await callServer<TemplateAnswer[]>(access, "/v1/templates", "[");
  const endpoints = await callServer<EndpointAnswer[]>(access, "/v1/endpoints", "[");
  return { template: byName(templates), endpoint: byName(endpoints) };
}

/**
 * Creates what is missing, and changes what differs. A repeated command finds what an interrupted one
 * created.
 */
export async function applyPlan(
  access: ServerAccess,
  name: string,
  { template, endpoint }: { readonly template: Body; readonly endpoint: Body },
): Promise<Applied> {
  const found = await deployedAs(access, name);
  const done: string[] = [];
  const one = async (what: "template" | "endpoint", old: Named | undefined, plan: Body): Promise<Named> => {
    const path = `/v1/${what}s`;
    if (old === undefined) {
      const made = await callServer<Named>(access, path, '{"id":', { name, ...plan });
      done.push(`Created the ${what} ${name}.`);
      return made;
    }
    const differing = Object.entries(plan).filter(([member, value]) => !isSame(old[member], value));
    if (differing.length === 0) return old;
    const body = Object.fromEntries(differing);
    const changed = await callServer<Named>(access, `${path}/${old.id}`, '{"id":', body, "PATCH");
    const members = differing.map(([member]) => WORDS[member] ?? member).join(", ");
    done.push(`Updated the ${what} ${name}: ${members}.`);
    return changed;
  };
  const extra = found.template === undefined ? NEW_TEMPLATE : {};
  const { id: templateId } = await one("template", found.template, { ...extra, ...template });
  const { id } = await one("endpoint", found.endpoint, { templateId, ...endpoint });
  const path = `/v1/endpoints/${id}`;
  const applied = runnable(await callServer<EndpointAnswer>(access, path, '{"id":'));
  return { endpoint: applied, done, beginsRelease: applied.version !== found.endpoint?.version };
}

/** Throws CommandFault if the server starts no worker for the endpoint. */
function runnable(endpoint: EndpointAnswer): EndpointAnswer {
  const { name, fleet, isPaused, workersMax } = endpoint;
  if (fleet === undefined) {
    throw new CommandFault(
      `the endpoint ${name} exists, but this server starts no containers. Start it with ` +
        `--docker-host unix:///var/run/docker.sock, or run the worker yourself: ` +
        `forebay worker --endpoint ${name} -- <program>`,
    );
  }
  if (isPaused) {
    throw new CommandFault(
      `the endpoint ${name} is updated, but paused, so no worker starts. Resume it: ` +
        `forebay endpoints resume ${endpoint.id}`,
    );
  }
  if (workersMax === 0) {
    throw new CommandFault(
      `the endpoint ${name} is updated, but its workersMax is 0. Allow a worker: --max 1.`,
    );
  }
  return endpoint;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** The order of variables does not matter. */
function sorted(value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value;
}
