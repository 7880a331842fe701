import { readFileSync } from "node:fs";
import type { Job } from "@forebay/worker";
import { withPath } from "../../../domain/errors.ts";
import { CommandFault } from "../../command-fault.ts";
import { JobFailure } from "../job-failure.ts";

/** The JSON body of the request for a job. Throws JobFailure if its input lacks something. */
export type Template = (job: Job) => string;

/** Without a template, the input is the body. */
export const INPUT_AS_BODY: Template = ({ input }) => JSON.stringify(input);

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/**
 * A template from its JSON text, or from the file in `@path`. Its texts can have placeholders: `{{id}}`,
 * `{{input}}`, `{{input.prompt}}`, `{{input.messages.0}}`. A placeholder that is the whole text is replaced
 * by the value itself, with its type. Throws CommandFault.
 */
export function templateOf(given: string): Template {
  const pattern = parse(given.startsWith("@") ? read(given.slice(1)) : given);
  return (job) => JSON.stringify(filled(pattern, job));
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw withPath(error, path);
  }
}

function parse(text: string): unknown {
  try {
    const pattern: unknown = JSON.parse(text);
    checkNames(text);
    return pattern;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandFault(`--template is not JSON: ${error.message}. Put placeholders in quotes.`);
  }
}

function checkNames(text: string): void {
  for (const [placeholder, name = ""] of text.matchAll(PLACEHOLDER)) {
    if (/^(?:id|input(?:\..+)?)$/.test(name)) continue;
    throw new CommandFault(`--template: ${placeholder} is none of {{id}}, {{input}} and {{input.<member>}}.`);
  }
}

function filled(pattern: unknown, job: Job): unknown {
  if (typeof pattern === "string") return filledText(pattern, job);
  if (Array.isArray(pattern)) return pattern.map((item) => filled(item, job));
  if (typeof pattern !== "object" || pattern === null) return pattern;
  return Object.fromEntries(Object.entries(pattern).map(([name, value]) => [name, filled(value, job)]));
}

function filledText(text: string, job: Job): unknown {
  const [first] = text.matchAll(PLACEHOLDER);
  if (first?.[0] === text) return lookUp(first[1] ?? "", job);
  return text.replaceAll(PLACEHOLDER, (_placeholder, name: string) => {
    const value = lookUp(name, job);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function lookUp(name: string, { id, input }: Job): unknown {
  if (name === "id") return id;
  let value: unknown = input;
  for (const member of name.split(".").slice(1)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, member)) {
      throw new JobFailure(`the job has no ${name}, which the template of the worker requires.`);
    }
    value = Object.entries(value).find(([key]) => key === member)?.[1];
  }
  return value;
}
