#!/usr/bin/env node
import { fileURLToPath } from "node:url";
import { runBun } from "./bun.mjs";

runBun([fileURLToPath(new URL("../src/cli/main.ts", import.meta.url)), ...process.argv.slice(2)]);
