import type { Draft, Target } from "./draft.ts";
import type { Answered } from "./fuzz-client.ts";
import { sawJob, type World } from "./world.ts";

/** What an answer tells of the world: which things there are now, and which are gone. */
export function learn(world: World, draft: Draft, target: Target, { verdict, json }: Answered): void {
  if (verdict !== "ok") return;
  const endpoint = world.find(target.endpoint ?? "");
  switch (draft.operation.name) {
    case "run":
    case "runsync":
      if (endpoint !== undefined) sawJob(endpoint, json.id);
      return rememberInput(world, draft, json.id);
    case "retry":
      if (endpoint !== undefined) endpoint.retries++;
      return;
    case "purge-queue":
      if (endpoint !== undefined) endpoint.removed += json.removed;
      return;
    case "requests":
      for (const { id } of json.requests) if (endpoint !== undefined) sawJob(endpoint, id);
      return;
    case "list webhooks":
      // oxlint-disable-next-line typescript/no-explicit-any -- the answers are what is tested
      if (endpoint !== undefined) endpoint.deliveries = json.webhooks.map(({ id }: any) => id);
      return;
    case "retry many jobs":
    case "resubmit many jobs":
    case "cancel many jobs":
      // A dry run answers a count.
      if (json.id !== undefined) world.operations = [json.id, ...world.operations].slice(0, 3);
      return;
    case "create a template":
      world.templates.push(json.id);
      return;
    case "create a registry login":
      world.registryLogins.push(json.id);
      return;
    case "create a key":
      world.keys.push(json.id);
      return;
    case "create an endpoint":
      world.add(json.id);
      return;
    case "delete an endpoint":
      if (endpoint !== undefined) world.remove(endpoint);
      return;
    case "admit a worker": {
      const { workerId: id, env } = json;
      const token: string = env.FOREBAY_WORKER_TOKEN;
      return void endpoint?.workers.push({ endpoint: endpoint.id, id, token });
    }
    default:
      return learnOfHandOut(world, draft, target, json);
  }
}

/** What a worker's call was given is to be reported by a later one. */
function learnOfHandOut(
  world: World,
  { operation }: Draft,
  { worker }: Target,
  // oxlint-disable-next-line typescript/no-explicit-any -- the answers are what is tested
  json: any,
): void {
  const endpoint = world.find(worker?.endpoint ?? "");
  if (worker === undefined || endpoint === undefined || json === undefined) return;
  const took = (job: string, attempt: number): void => {
    sawJob(endpoint, job);
    endpoint.taken.push({ worker, job, attempt });
  };
  if (operation.name === "job-take") took(json.id, 0);
  if (operation.name === "job-take-batch") for (const { id } of json) took(id, 0);
  if (operation.name === "exchange") for (const { attempt, job } of json.jobs) took(job.id, attempt);
}

/** The bytes of the input, by which it can be told later whether it came through unchanged. */
function rememberInput(world: World, { members, bytes }: Draft, id: string): void {
  const inputs = (members ?? []).filter(([name]) => name === "input");
  const [input] = inputs;
  if (bytes === undefined && inputs.length === 1 && input !== undefined) world.inputs.set(id, input[1]);
}
