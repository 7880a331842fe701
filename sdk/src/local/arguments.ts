import { existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";

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
 * What the arguments of the program, or the file test_input.json where there is no server, ask for; undefined
 * when the worker is to serve its server. They are those of the public Python worker SDK; others are the
 * program's own.
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
    // An argument that stands last, without its value, counts as given and empty.
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
