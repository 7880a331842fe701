import { text } from "node:stream/consumers";
import { Interrupted } from "./command-fault.ts";

const ENTER = new Set(["\r", "\n", "\u0004"]);
const CTRL_C = "\u0003";
const BACKSPACE = new Set(["\b", "\u007f"]);

/**
 * Reads a secret: from a terminal that does not show it, after `prompt`, or from the standard input without
 * the end of the line. Throws Interrupted for Ctrl-C.
 */
export async function readSecret(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).replace(/\r?\n$/, "");
  stderr.write(prompt);
  stdin.setRawMode(true);
  try {
    return await typed(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

async function typed(stdin: NodeJS.ReadStream): Promise<string> {
  let secret = "";
  for await (const piece of stdin) {
    for (const sign of String(piece)) {
      if (sign === CTRL_C) throw new Interrupted("Nothing was done.");
      if (ENTER.has(sign)) return secret;
      secret = BACKSPACE.has(sign) ? secret.slice(0, -1) : secret + sign;
    }
  }
  return secret;
}
