#!/usr/bin/env node
// Runs Bun with the arguments given, passes signals on and returns its exit code.
import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { checkNode } from "./check-node.mjs";
import { findBun } from "./find-bun.mjs";

export function runBun(args) {
  checkNode();
  const child = spawn(findBun(), args, { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code === null ? (signal === "SIGINT" ? 130 : 143) : code));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) runBun(process.argv.slice(2));
