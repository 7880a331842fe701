import { spawn } from "node:child_process";

// Runs lists of test files in a process each, at the same time, for suites whose tests wait more than they
// work: `side-by-side.ts <limit> <file>… -- <file>…`. What each has said is printed when it has ended.
const [limit = "", ...words] = process.argv.slice(2);
const codes = await Promise.all(listsOf(words).map(run));
process.exit(codes.every((code) => code === 0) ? 0 : 1);

function listsOf(files: readonly string[]): string[][] {
  const end = files.indexOf("--");
  return end < 0 ? [[...files]] : [files.slice(0, end), ...listsOf(files.slice(end + 1))];
}

async function run(files: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, ["test", "--isolate", limit, ...files], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: Buffer[] = [];
  for (const output of [child.stdout, child.stderr]) output.on("data", (piece: Buffer) => said.push(piece));
  const code = await new Promise<number>((resolve) => child.on("close", (status) => resolve(status ?? 1)));
  process.stdout.write(Buffer.concat(said));
  return code;
}
