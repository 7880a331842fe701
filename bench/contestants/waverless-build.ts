import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary-directory.ts";
import { goBuild, goProgram } from "./peers.ts";

/** The programs of waverless that the benchmark builds. */
export interface WaverlessPrograms {
  readonly server: string;
  /** Creates the tables: `schema DSN`. */
  readonly schema: string;
  /** The statements of its own schema file, for MariaDB. */
  readonly sql: string;
}

/** Declared twice in one package: the server does not compile until one of them has another name. */
const MONITOR = "pkg/deploy/novita/worker_status_monitor.go";
const NEEDED = ["mariadbd", "mariadb-install-db", "mariadb", "redis-server"];

/**
 * Builds waverless from a copy of the directory that the user names. The copy gets three changes: one renamed
 * type, a collation that MariaDB knows, and a program that adds the columns that its schema file lacks.
 */
export function buildWaverless(source: string | undefined): WaverlessPrograms | { reason: string } {
  const reason = reasonAgainst(source);
  if (reason !== undefined || source === undefined) return { reason: reason ?? "" };
  const copy = join(temporaryDirectory("waverless-bench-"), "source");
  cpSync(source, copy, { recursive: true, filter: (path) => !/\/(\.git|web-ui|node_modules)$/.test(path) });
  const monitor = join(copy, MONITOR);
  writeFileSync(monitor, readFileSync(monitor, "utf8").replaceAll(/\bworkerState\b/g, "monitoredState"));
  mkdirSync(join(copy, "cmd/bench-schema"));
  const schema = readFileSync(join(import.meta.dir, "../peers/waverless/schema.go"), "utf8");
  writeFileSync(join(copy, "cmd/bench-schema/main.go"), schema.replace("//go:build ignore", ""));
  const programs = { server: join(copy, "bench-server"), schema: join(copy, "bench-schema") };
  for (const [program, target] of [
    [programs.server, "./cmd"],
    [programs.schema, "./cmd/bench-schema"],
  ] as const) {
    const { status, stderr } = goBuild(copy, program, target);
    if (status !== 0) return { reason: `go build ${target} failed: ${stderr.trim().slice(-300)}` };
  }
  const sql = readFileSync(join(copy, "scripts/init.sql"), "utf8");
  return { ...programs, sql: sql.replaceAll("utf8mb4_0900_ai_ci", "utf8mb4_general_ci") };
}

function reasonAgainst(source: string | undefined): string | undefined {
  if (source === undefined) return "no --waverless DIR was given (a clone of github.com/garysng/waverless)";
  if (!existsSync(join(source, MONITOR))) return `${source} is no clone of github.com/garysng/waverless`;
  const missing = NEEDED.filter((program) => Bun.which(program) === null);
  if (goProgram() === undefined) missing.push("go");
  return missing.length === 0 ? undefined : `not installed: ${missing.join(", ")}`;
}
