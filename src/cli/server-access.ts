import { CommandFault } from "./command-fault.ts";

/** A running server and the key with which it is called. */
export interface ServerAccess {
  readonly server: string;
  readonly key: string;
}

const DEFAULT_SERVER = "http://127.0.0.1:8000";

/** The server that the flags or the environment name. Throws CommandFault when there is no key for it. */
export function serverAccess(flags: { server?: string | undefined; key?: string | undefined }): ServerAccess {
  const server = flags.server ?? process.env["FOREBAY_URL"] ?? DEFAULT_SERVER;
  const key = flags.key ?? process.env["FOREBAY_KEY"] ?? "";
  if (key === "") throw new CommandFault("say your API key: --key <key>, or set FOREBAY_KEY.");
  return { server: server.replace(/\/+$/, ""), key };
}
