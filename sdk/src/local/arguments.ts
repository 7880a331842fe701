import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Job } from "../handler.ts";

/** What a worker does without a server: one job, or an HTTP server of its own. */
export type LocalMode =
  | { readonly kind: "test"; readonly source: string; readonly text: string }
  | { readonly kind: "serve"; readonly host: string; readonly port: string };

type Variables = Readonly<Record<string, string | undefined>>;

const TEST_FILE = "test_input.json";
const SERVER_ADDRESSES = ["FOREBAY_EXCHANGE_URL", "RUNPOD_WEBHOOK_GET_JOB"];

const ARGUMENTS = {
  test_input: { type: "string" },
  rp_serve_api: { type: "boolean" },
  rp_api_host: { type: "string" },
  rp_api_port: { type: "string" },
} as const;

/**
 * What the program's arguments request; without a server, also the file test_input.json. Undefined if the
 * worker is to serve its server. The arguments are those of the public Python worker SDK. Others belong to
 * the program.
 */
export function readArguments(args: readonly string[], variables: Variables): LocalMode | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: ARGUMENTS,
    strict: false,
    allowPositionals: true,
  });
  const textOf = (name: keyof typeof ARGUMENTS): string | undefined => {
    const value = values[name];
    // A last argument without a value counts as given and empty.
    return value === undefined || typeof value === "string" ? value : "";
  };
  if (values.rp_serve_api === true) {
    return {
      kind: "serve",
      host: textOf("rp_api_host") ?? "127.0.0.1",
      port: textOf("rp_api_port") ?? "8000",
    };
  }
  const given = textOf("test_input");
  if (given !== undefined) return { kind: "test", source: "--test_input", text: given };
  const hasServer = SERVER_ADDRESSES.some((name) => (variables[name] ?? "") !== "");
  if (hasServer || !existsSync(TEST_FILE)) return undefined;
  return { kind: "test", source: TEST_FILE, text: readFileSync(TEST_FILE, "utf8") };
}

/** The request cannot be fulfilled. The message is a sentence for the caller. */
export class UsageFault extends Error {}

/** The job that a JSON text submits. `source` names the text. Throws UsageFault with a sentence. */
export function parseSubmission(source: string, text: string, newId: () => string): Job {
  const value = parseJson(source, text);
  if (!isRecord(value)) throw new UsageFault(`${source} must be a JSON object with a member input.`);
  const { input, id } = value;
  if (!isRecord(input)) throw new UsageFault(`${source} must have a member input that is an object.`);
  return { ...value, input, id: typeof id === "string" ? id : newId() };
}

function parseJson(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageFault(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
