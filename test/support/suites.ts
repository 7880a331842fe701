import { readdirSync } from "node:fs";
import { bunTest, HTTP_LIMIT, PROCESS_LIMIT, sideBySide, tool } from "./suite-commands.ts";

/** A part of the tests that runs as a process of its own. */
export interface Suite {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Part of `npm run check`, which ends within a minute. */
  readonly isQuick: boolean;
  /**
   * A command that prepares the suite. If it fails, the suite is left out with its message. With CI=true that
   * is a failure.
   */
  readonly needs?: readonly string[];
  /** Its tests mostly wait, for leases and for workers, so it runs next to two others. */
  readonly waits?: true;
  /** What it needs alone: no other suite with the same runs at the same time. */
  readonly shares?: "the engine" | "the package";
  /** Left out with CI=true, too: Debian has no Go that builds the SDK. */
  readonly isOptional?: boolean;
}

/** The same tests against two servers on one PostgreSQL (test/support/end-to-end-server.ts). */
const TWO_SERVERS = { FOREBAY_TEST_SERVERS: "2" };
/** All but those of `forebay dev`, which has a server of its own. */
const ON_TWO_SERVERS = "asyncio-client client concurrency loss results stopping streams"
  .split(" ")
  .map((name) => `./test/python/${name}.test.ts`);

/** The end-to-end tests wait most of their time: for leases, for fleets, and for everything else. */
const LEASES = new Set(["lost-workers", "lost-servers", "deadlines", "full-disk", "start", "rotate-secrets"]);
const FLEETS = new Set(["scale", "releases", "worker-view", "init-timeout"]);
const END_TO_END = Object.groupBy(
  readdirSync("test/e2e").filter((file) => file.endsWith(".test.ts")),
  (file) => {
    const name = file.replace(".test.ts", "");
    if (LEASES.has(name)) return "leases";
    return FLEETS.has(name) ? "fleets" : "others";
  },
);
const END_TO_END_LISTS = Object.values(END_TO_END).map((files) => files.map((file) => `./test/e2e/${file}`));

/** Only files whose content changed are formatted: a tenth of the time. */
const CACHED = ["--cache", "--cache-strategy=content", "--cache-location=node_modules/.cache/prettier/check"];

export const SUITES: readonly Suite[] = [
  { name: "types", command: [tool("tsc"), "-p", "."], isQuick: true },
  { name: "types of the API page", command: [tool("tsc"), "-p", "src/http/docs/page"], isQuick: true },
  { name: "types of the console", command: [tool("tsc"), "-p", "console"], isQuick: true },
  { name: "lint", command: [tool("oxlint"), "--type-aware"], isQuick: true },
  {
    name: "format",
    command: [tool("prettier"), "--check", ...CACHED, "--log-level", "warn", "."],
    isQuick: true,
  },
  { name: "dead code", command: [tool("knip")], isQuick: true },
  {
    name: "layout",
    command: bunTest("./test/architecture.test.ts", "./test/docs.test.ts", "./test/path"),
    isQuick: true,
  },
  {
    name: "unit",
    command: bunTest(
      "./test/domain",
      "./test/engine",
      "./test/doctor",
      "./test/history",
      "./test/zoo",
      "./test/mutation",
      "./test/data-directory.test.ts",
      "./test/run-lanes.test.ts",
      "./test/run-suite.test.ts",
      "./test/secret-key.test.ts",
      "./test/system-clock.test.ts",
      "./test/time-at-start.test.ts",
    ),
    isQuick: true,
  },
  { name: "store", command: bunTest("./test/contract", "./test/store"), isQuick: true },
  { name: "words", command: bunTest(HTTP_LIMIT, "./test/words"), isQuick: true },
  { name: "outbound", command: bunTest(HTTP_LIMIT, "./test/outbound"), isQuick: false },
  { name: "races", command: bunTest("./test/races"), isQuick: true },
  { name: "model", command: bunTest("./test/api-model"), isQuick: false },
  { name: "zoo", command: [process.execPath, "test/zoo/zoo.ts"], isQuick: false },
  // One test runs all worlds, in the long run for an hour.
  { name: "simulation", command: bunTest("--timeout=7200000", "./test/simulation"), isQuick: false },
  { name: "fleet", command: bunTest(PROCESS_LIMIT, "./test/fleet", "./test/background"), isQuick: true },
  {
    name: "process limits",
    command: [process.execPath, "test/process-limits/in-linux.ts"],
    needs: [process.execPath, "test/process-limits/prepare.ts"],
    isQuick: false,
  },
  {
    name: "benchmark",
    shares: "the package",
    command: bunTest(PROCESS_LIMIT, "./test/bench"),
    // Its workers on Node import the built library.
    needs: ["npm", "run", "build", "-w", "sdk"],
    isQuick: false,
  },
  { name: "http", command: bunTest(HTTP_LIMIT, "./test/http"), isQuick: false },
  {
    name: "openapi",
    command: bunTest(PROCESS_LIMIT, "./test/openapi", "./test/openapi-client"),
    needs: [process.execPath, "test/openapi/prepare.ts"],
    isQuick: false,
  },
  {
    name: "browser",
    command: bunTest(PROCESS_LIMIT, "./test/browser"),
    needs: [process.execPath, "test/browser/prepare.ts"],
    isQuick: false,
  },
  { name: "crash of the store", command: bunTest("./test/crash"), isQuick: false },
  { name: "crash of the server", command: bunTest(PROCESS_LIMIT, "./test/crash-server"), isQuick: false },
  { name: "fleet kills", waits: true, command: bunTest(PROCESS_LIMIT, "./test/fleet-kills"), isQuick: false },
  { name: "fuzz", command: bunTest(PROCESS_LIMIT, "./test/fuzz"), isQuick: false },
  {
    name: "metrics",
    command: bunTest(HTTP_LIMIT, "./test/metrics"),
    // On Debian without the server: .ci/run.
    needs: ["promtool", "--version"],
    isQuick: false,
  },
  {
    name: "postgres",
    command: bunTest(PROCESS_LIMIT, "./test/postgres"),
    needs: [process.execPath, "test/postgres/prepare.ts"],
    isQuick: false,
  },
  {
    name: "upgrade",
    command: bunTest(PROCESS_LIMIT, "./test/upgrade"),
    needs: [process.execPath, "test/postgres/prepare.ts"],
    isQuick: false,
  },
  {
    name: "failover",
    waits: true,
    command: bunTest(PROCESS_LIMIT, "./test/failover"),
    needs: [process.execPath, "test/postgres/prepare.ts"],
    isQuick: false,
  },
  {
    name: "sdk",
    shares: "the package",
    command: bunTest(PROCESS_LIMIT, "./test/sdk", "./test/client"),
    isQuick: false,
  },
  { name: "wrap", shares: "the package", command: bunTest(PROCESS_LIMIT, "./test/wrap"), isQuick: false },
  {
    name: "sdk on Node",
    shares: "the package",
    command: bunTest(PROCESS_LIMIT, "./test/runtimes"),
    needs: [process.execPath, "test/runtimes/prepare.ts"],
    isQuick: false,
  },
  { name: "e2e", shares: "the engine", command: sideBySide(PROCESS_LIMIT, END_TO_END_LISTS), isQuick: false },
  { name: "backup", command: bunTest(PROCESS_LIMIT, "./test/backup"), isQuick: false },
  { name: "canaries", command: bunTest(PROCESS_LIMIT, "./test/canaries"), isQuick: false },
  {
    name: "public sdk",
    command: bunTest(PROCESS_LIMIT, "./test/public-sdk"),
    needs: [process.execPath, "test/public-sdk/prepare.ts"],
    isQuick: false,
  },
  {
    name: "public sdk on two servers",
    command: bunTest(PROCESS_LIMIT, "./test/public-sdk"),
    env: TWO_SERVERS,
    needs: [process.execPath, "test/public-sdk/prepare-two-servers.ts"],
    isQuick: false,
  },
  {
    name: "go sdk",
    command: bunTest(PROCESS_LIMIT, "./test/go-sdk"),
    needs: [process.execPath, "test/go-sdk/prepare.ts"],
    isQuick: false,
    isOptional: true,
  },
  {
    name: "openai clients",
    command: bunTest(PROCESS_LIMIT, "./test/openai"),
    needs: [process.execPath, "test/openai/prepare.ts"],
    isQuick: false,
  },
  {
    name: "deploy",
    command: bunTest(PROCESS_LIMIT, "./test/deploy"),
    needs: [process.execPath, "test/deploy/prepare.ts"],
    isQuick: false,
  },
  {
    name: "image",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/image"),
    needs: [process.execPath, "test/image/prepare.ts"],
    isQuick: false,
  },
  {
    name: "docker",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/docker"),
    needs: [process.execPath, "test/docker/prepare.ts"],
    isQuick: false,
  },
  {
    name: "container kills",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/container-kills"),
    needs: [process.execPath, "test/docker/prepare.ts"],
    isQuick: false,
  },
  {
    name: "gpus",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/gpus"),
    needs: [process.execPath, "test/docker/prepare.ts"],
    isQuick: false,
  },
  {
    name: "hosts",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/hosts"),
    needs: [process.execPath, "test/docker/prepare.ts"],
    isQuick: false,
  },
  {
    name: "podman",
    waits: true,
    command: bunTest(PROCESS_LIMIT, "./test/podman"),
    needs: [process.execPath, "test/podman/prepare.ts"],
    isQuick: false,
  },
  {
    name: "executable",
    shares: "the package",
    command: bunTest(PROCESS_LIMIT, "./test/executable"),
    needs: [process.execPath, "test/executable/prepare.ts"],
    isQuick: false,
  },
  {
    name: "command line",
    shares: "the engine",
    command: bunTest(PROCESS_LIMIT, "./test/cli"),
    isQuick: false,
  },
  {
    name: "dev",
    waits: true,
    command: bunTest(PROCESS_LIMIT, "./test/dev"),
    needs: ["python3", "-c", "import pty"],
    isQuick: false,
  },
  {
    name: "install",
    shares: "the package",
    command: bunTest(PROCESS_LIMIT, "./test/install"),
    needs: [process.execPath, "test/install/prepare.ts"],
    isQuick: false,
  },
  {
    name: "python",
    waits: true,
    command: bunTest(PROCESS_LIMIT, "./test/python"),
    needs: [process.execPath, "test/python/prepare.ts"],
    isQuick: false,
  },
  { name: "troubleshooting", command: bunTest(PROCESS_LIMIT, "./test/troubleshooting"), isQuick: false },
  {
    // Four pages at a time: they wait much of theirs.
    name: "snippets",
    command: bunTest(PROCESS_LIMIT, "--max-concurrency=4", "./test/snippets"),
    needs: [process.execPath, "test/snippets/prepare.ts"],
    isQuick: false,
  },
  {
    name: "sdk versions",
    waits: true,
    // All at once: they wait most of their time, the longest for 150 s.
    command: bunTest("--timeout=290000", "--max-concurrency=200", "./test/sdk-versions"),
    needs: [process.execPath, "test/sdk-versions/prepare.ts"],
    isQuick: false,
  },
  {
    name: "python on two servers",
    waits: true,
    command: bunTest(PROCESS_LIMIT, ...ON_TWO_SERVERS),
    env: TWO_SERVERS,
    needs: [process.execPath, "test/python/prepare-two-servers.ts"],
    isQuick: false,
  },
];
