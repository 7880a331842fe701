import { availableParallelism, hostname, totalmem } from "node:os";
import { commandNameOf, type Template } from "../../domain/template.ts";
import { processGpuRefusal, processGpuVariables } from "../gpu/gpu-variables.ts";
import { StartFault, type WorkerOrder } from "../provider.ts";
import { coresAtMost, type WorkerMachine } from "../worker-machine.ts";
import { codeLoadingVariable } from "./code-loading-variables.ts";
import type { Commands } from "./commands.ts";
import type { ProcessLimits } from "./worker-cgroup.ts";

const MB = 1_048_576;

/**
 * A registered command that ends with this accepts arguments from templates. No argument after it is an
 * option, so a template can choose what a command works on, but not what it does.
 */
const END_OF_OPTIONS = "--";

/** What a worker of this template runs, program first. Throws StartFault if `refusalOf` has a reason. */
export function argvOf(template: Template, commands: Commands): readonly string[] {
  const refusal = refusalOf(template, commands);
  const command = commandOf(template, commands);
  if (refusal !== undefined || command === undefined) throw new StartFault(refusal);
  return [...command, ...template.dockerStartCmd];
}

/**
 * Why this template cannot run, in one sentence; undefined if it can. Its author need not be the operator, so
 * a template only chooses among the operator's commands.
 */
export function refusalOf(template: Template, commands: Commands): string | undefined {
  const { imageName, dockerEntrypoint, dockerStartCmd, env } = template;
  const command = commandOf(template, commands);
  if (command === undefined) {
    return `imageName: ${imageName} is not a registered command. Use ${namesOf(commands)}.`;
  }
  if (dockerEntrypoint.length > 0) {
    return `dockerEntrypoint: the operator sets the program of ${imageName}. Leave it empty.`;
  }
  if (dockerStartCmd.length > 0 && command.at(-1) !== END_OF_OPTIONS) {
    return (
      `dockerStartCmd: ${imageName} takes no arguments. ` +
      `The operator can allow them by ending its command with "${END_OF_OPTIONS}".`
    );
  }
  const variable = codeLoadingVariable(Object.keys(env));
  if (variable === undefined) return processGpuRefusal(env);
  return `env: ${variable} could make the program of ${imageName} run other code. Leave it out.`;
}

function commandOf({ imageName }: Template, commands: Commands): readonly string[] | undefined {
  const name = commandNameOf(imageName);
  return name === undefined ? undefined : commands.get(name);
}

function namesOf(commands: Commands): string {
  return [...commands.keys()].map((name) => `process/${name}`).join(", ");
}

/** The variables of the server that workers get by default. All others may be secrets. */
const PASSED_ON = ["PATH", "HOME", "LANG"] as const;

/**
 * The whole environment of a worker. The server's variables override the template's, and these the
 * operator's.
 */
export function processEnvironment(
  { template, environment, gpus }: WorkerOrder,
  operator: Readonly<Record<string, string | undefined>>,
  names: readonly string[] = PASSED_ON,
): Record<string, string> {
  const passedOn = names.flatMap((name) => {
    const value = operator[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(passedOn),
    ...template.env,
    ...environment,
    ...processGpuVariables(gpus),
  };
}

/** What the worker has of this machine. Without limits, the cores of its endpoint are not enforced either. */
export function processMachine({ cores }: WorkerOrder, limits: ProcessLimits | undefined): WorkerMachine {
  const { memoryMb, cpus } = limits ?? { memoryMb: 0, cpus: 0 };
  const most = limits && coresAtMost(cpus, cores);
  return {
    hostname: hostname(),
    cores: Math.min(most ?? Infinity, availableParallelism()),
    memory: Math.min(memoryMb === 0 ? Infinity : memoryMb * MB, totalmem()),
  };
}
