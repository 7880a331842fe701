import { type FSWatcher, readdirSync, watch } from "node:fs";
import { extname, join, relative } from "node:path";
import type { Clock } from "../../domain/clock.ts";
import { errorCode } from "../../domain/errors.ts";

/** The handler itself may write files with other extensions. */
const CODE = new Set([".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".py"]);

/** Packages are not edited, and have many files. */
const PACKAGES = new Set(["node_modules", "site-packages", "__pycache__"]);

/** An editor writes a file in several steps, ms. */
const SETTLE = 30;

/** The limit of watched directories. A directory with more is no project. */
const MOST_DIRECTORIES = 2_000;

const NOT_READABLE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM"]);

/** Reports the paths of changed code in a directory and below it, except packages and hidden directories. */
export function watchSources(
  root: string,
  clock: Clock,
  onChange: (paths: readonly string[]) => void,
): { close(): void } {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();

  function follow(directory: string): void {
    if (watchers.has(directory) || watchers.size >= MOST_DIRECTORIES) return;
    const watcher = watched(directory);
    if (watcher === undefined) return;
    watcher.on("error", () => forget(directory));
    watchers.set(directory, watcher);
    for (const name of subdirectories(directory)) follow(join(directory, name));
  }

  /** Undefined if the directory is gone or not readable. */
  function watched(directory: string): FSWatcher | undefined {
    try {
      return watch(directory, (_event, name) => {
        if (name !== null) onEvent(directory, name);
      });
    } catch (error) {
      if (NOT_READABLE.has(errorCode(error))) return undefined;
      throw error;
    }
  }

  function forget(directory: string): void {
    watchers.get(directory)?.close();
    watchers.delete(directory);
  }

  function onEvent(directory: string, name: string): void {
    const path = join(directory, name);
    if (!CODE.has(extname(name))) {
      if (isFollowed(name) && subdirectories(directory).includes(name)) follow(path);
      else forget(path);
      return;
    }
    if (changed.size === 0) clock.after(SETTLE, report);
    changed.add(relative(root, path));
  }

  function report(): void {
    const paths = [...changed];
    changed.clear();
    if (watchers.size > 0) onChange(paths);
  }

  follow(root);
  return {
    close() {
      for (const directory of watchers.keys()) forget(directory);
    },
  };
}

function subdirectories(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && isFollowed(entry.name))
      .map(({ name }) => name);
  } catch (error) {
    if (NOT_READABLE.has(errorCode(error))) return [];
    throw error;
  }
}

function isFollowed(name: string): boolean {
  return !name.startsWith(".") && !PACKAGES.has(name);
}
