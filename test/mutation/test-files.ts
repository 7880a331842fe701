import { globSync } from "node:fs";

/** A test file that can kill mutants. */
export interface TestFile {
  readonly file: string;
  /** Only the tests with this in their names. */
  readonly only?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const QUICK_FOLDERS = ["domain", "engine", "races"];
const FOLDERS = [...QUICK_FOLDERS, "background", "store", "http", "fleet"];
/** They take longer than what they show of the targets is worth. */
const LEFT_OUT = new Set([
  // It uses up the descriptors, of which the notes of what is reached need one.
  "test/store/reserved-files.test.ts",
  "test/http/inputs/connections.test.ts",
  "test/http/inputs/lengths.test.ts",
  "test/http/inputs/slow.test.ts",
  "test/http/inputs/bodies.test.ts",
  "test/http/slow-readers.test.ts",
  "test/http/long-calls.test.ts",
  "test/http/shared-gate.test.ts",
]);
const OF_THE_FLEET = /fleet\/(?!decide|paused|backoff)/;

const POSTGRES_FILES: readonly TestFile[] = [
  { file: "test/postgres/contract.test.ts" },
  { file: "test/postgres/row-cache.test.ts" },
];

interface Choice {
  /** Without the tests of requests and background jobs. */
  readonly isQuick: boolean;
  readonly isOnPostgres: boolean;
  /** The beginnings of paths; of no others, if there are some. */
  readonly paths: readonly string[];
}

export function testFiles({ isQuick, isOnPostgres, paths }: Choice): TestFile[] {
  const all = allTestFiles(isQuick, isOnPostgres);
  return paths.length === 0 ? all : all.filter(({ file }) => paths.some((path) => file.startsWith(path)));
}

function allTestFiles(isQuick: boolean, isOnPostgres: boolean): TestFile[] {
  const folders = isQuick ? QUICK_FOLDERS : FOLDERS;
  const plain = folders
    .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`))
    .filter((file) => !LEFT_OUT.has(file) && !OF_THE_FLEET.test(file))
    .toSorted();
  return [
    ...plain.map((file) => ({ file })),
    { file: "test/docs.test.ts", only: "docs/errors.md lists|docs/states.md draws" },
    { file: "test/contract/memory.test.ts" },
    { file: "test/contract/sqlite.test.ts" },
    { file: "test/api-model/api-model.test.ts", only: "in memory", env: { RUNS: "0.02" } },
    // A world that fails is only to fail: nobody reads the smallest plan.
    {
      file: "test/simulation/simulation.test.ts",
      only: "regression|no step",
      env: { STEPS: "5000", SHRINK_TIME: "0" },
    },
    ...(isOnPostgres ? POSTGRES_FILES : []),
  ];
}
