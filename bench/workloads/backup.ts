import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startLibraryWorker } from "../contestants/forebay.ts";
import { startForebayUnderTest } from "../forebay-server.ts";
import { startClient } from "../load-client.ts";
import { MeasuredProcess } from "../measured-process.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { ratioGoal, type Row, type Scale, type Workload } from "../workload.ts";

const BEFORE = "before";
const DURING = "during the backup";
const STORED = 200_000;
/** Jobs a second. */
const RATE = 1_000;

/** What a backup costs the submissions of a busy server, and how much the write-ahead log grows. */
export const BACKUP: Workload = {
  id: "backup",
  title: "Backup of a busy server",
  about:
    `${STORED.toLocaleString("en")} results are stored. ${RATE.toLocaleString("en")} jobs a second go on, ` +
    "for 10 s before the backup and while it is made.",
  rounds: 3,
  minutes: 3,
  isExtra: true,
  columns: [
    { key: "rate", title: "jobs/s", digits: 0 },
    { key: "p50", title: "submit p50, ms", digits: 1 },
    { key: "p99", title: "p99, ms", digits: 1 },
    { key: "max", title: "worst, ms", digits: 0 },
    { key: "seconds", title: "seconds", digits: 1 },
    { key: "backup", title: "backup, MB", digits: 0 },
    { key: "log", title: "log at most, MB", digits: 0 },
  ],
  goals: [
    ratioGoal({
      what: "Backup at 1,000 jobs/s: p99 of submissions, × that before",
      row: DURING,
      key: "p99",
      against: (row) => row === BEFORE,
    }),
  ],
  cases: async (scale) => [{ name: DURING, measure: () => measure(scale) }],
};

async function measure({ build, isQuick }: Scale): Promise<Row[]> {
  const directory = temporaryDirectory("forebay-backup-");
  const data = join(directory, "data");
  const forebay = await startForebayUnderTest(build, { data, "run-retention-ms": "86400000" });
  const { server, port, endpoint, key, clean } = forebay;
  const stored = isQuick ? 200 : STORED;
  const worker = startLibraryWorker(forebay, { milestones: [stored] });
  const load = await startClient({ ports: [port], path: `/v2/${endpoint}/run`, key });
  try {
    await load.submit(stored);
    await worker.line(`ran ${stored}`);
    load.begin(RATE);
    await pause(isQuick ? 100 : 5_000);
    await load.mark();
    await pause(isQuick ? 200 : 10_000);
    const before = await load.mark();
    const file = join(directory, "forebay.tar");
    const made = await backUp(build, file, data, `http://127.0.0.1:${port}`, key);
    const during = await load.mark();
    return [
      { name: BEFORE, figures: { ...before } },
      { name: DURING, figures: { ...during, ...made } },
    ];
  } finally {
    await Promise.all([load.stop(), worker.stop(), server.stop()]);
    await clean();
    await rm(directory, { recursive: true });
  }
}

async function backUp(build: string, file: string, data: string, url: string, key: string) {
  const startedAt = performance.now();
  let log = 0;
  const look = setInterval(() => void sizeOf(join(data, "forebay.db-wal")).then(note), 100);
  const note = (size: number): void => {
    log = Math.max(log, size);
  };
  const main = join(build, "src/cli/main.ts");
  const command = [process.execPath, main, "backup", file, "--server", url, "--key", key];
  try {
    const code = await new MeasuredProcess(command).ended;
    if (code !== 0) throw new Error(`forebay backup ended with exit code ${code}`);
    return { seconds: (performance.now() - startedAt) / 1_000, log, backup: await sizeOf(file) };
  } finally {
    clearInterval(look);
  }
}

/** MB. */
async function sizeOf(file: string): Promise<number> {
  return (await stat(file)).size / 1_048_576;
}
