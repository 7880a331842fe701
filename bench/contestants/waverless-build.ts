import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "../temporary-directory.ts";
import { goBuild, goProgram } from "./go.ts";
import { checkOut, WAVERLESS } from "./peer-source.ts";

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
 * Builds waverless from `source`, by default from GitHub. The copy gets three changes: one renamed type, a
 * collation that MariaDB knows, and a program that adds the columns that its schema file lacks.
 */
export function buildWaverless(source: string | undefined): WaverlessPrograms | { reason: string } {
  const absent = NEEDED.filter((program) => Bun.which(program) === null);
  if (goProgram() === undefined) absent.push("go");
  if (absent.length > 0) return { reason: `not installed: ${absent.join(", ")}` };
  const directory = temporaryDirectory("waverless-bench-");
  const fault = checkOut(WAVERLESS, directory, source);
  if (fault !== undefined) return { reason: fault };
  const monitor = join(directory, MONITOR);
  writeFileSync(monitor, readFileSync(monitor, "utf8").replaceAll(/\bworkerState\b/g, "monitoredState"));
  mkdirSync(join(directory, "cmd/bench-schema"));
  const schema = readFileSync(join(import.meta.dir, "../peers/waverless/schema.go"), "utf8");
  writeFileSync(join(directory, "cmd/bench-schema/main.go"), schema.replace("//go:build ignore", ""));
  const programs = { server: join(directory, "bench-server"), schema: join(directory, "bench-schema") };
  for (const [program, target] of [
    [programs.server, "./cmd"],
    [programs.schema, "./cmd/bench-schema"],
  ] as const) {
    const reason = goBuild(directory, program, target);
    if (reason !== undefined) return { reason };
  }
  const sql = readFileSync(join(directory, "scripts/init.sql"), "utf8");
  return { ...programs, sql: sql.replaceAll("utf8mb4_0900_ai_ci", "utf8mb4_general_ci") };
}
