import { signIn } from "../test/browser/console-world.ts";
import { startBrowser } from "../test/support/browser.ts";
import { startLibraryWorker } from "./contestants/forebay.ts";
import { startForebayUnderTest } from "./forebay-server.ts";

// What an open console costs the server while its endpoint does 100 jobs a second, in turns with the same
// load and no console: `node bin/bun.mjs bench/console-open.ts [seconds] [rounds]`. Limit: 1 % of a core.
const seconds = Number(process.argv[2] ?? 10);
const rounds = Number(process.argv[3] ?? 4);
const EVERY = 10;

const forebay = await startForebayUnderTest();
const { server, port, endpoint, key } = forebay;
const worker = startLibraryWorker(forebay, { concurrency: 16 });
await worker.line("ready");
const headers = { authorization: key, "content-type": "application/json" };
const submit = (): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/v2/${endpoint}/run`, { method: "POST", headers, body: '{"input":{}}' });
const load = setInterval(() => void submit(), EVERY);

const browser = await startBrowser();
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${port}/console`);
await signIn(page, key);

console.log("| round | without, % of a core | overview, more than that | charts | jobs |");
console.log("|---|---|---|---|---|");
for (let round = 1; round <= rounds; round++) {
  const shares: number[] = [];
  for (const place of ["about:blank", "#/", `#/endpoints/${endpoint}`, `#/endpoints/${endpoint}/jobs`]) {
    await page.goto(place.startsWith("#") ? `http://127.0.0.1:${port}/console${place}` : place);
    await pass(2);
    const before = server.cpu();
    await pass(seconds);
    shares.push((server.cpu() - before) / seconds / 10_000);
  }
  const [without = 0, ...open] = shares;
  const cells = [without, ...open.map((share) => share - without)].map((share) => share.toFixed(2));
  console.log(`| ${round} | ${cells.join(" | ")} |`);
}
clearInterval(load);
await browser.close();
for (const one of [worker, server]) await one.stop();
await forebay.clean();

function pass(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1_000));
}
