import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Page, parsePage } from "./page.ts";
import { type Count, runPage } from "./run-page.ts";
import { startGateway } from "./gateway.ts";
import { ROOT } from "./world.ts";

/** How long a page may take, ms; some install packages. */
const PAGE_LIMIT = 280_000;

const PAGES = ["README.md", "CONTRIBUTING.md", ...pagesBelow("docs"), ...pagesBelow("examples")].map(
  (path): Page => parsePage(path, readFileSync(join(ROOT, path), "utf8")),
);

const directory = mkdtempSync(join(tmpdir(), "forebay-snippets-"));
const gateway = join(directory, "gateway");
const counts = new Map<string, Count & { readonly seconds: number }>();
let server: Server;

beforeAll(async () => {
  server = await startGateway(gateway);
});

afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
  process.stdout.write(tableOf(counts));
});

describe("every block of a page runs as written, or is marked as an excerpt", () => {
  for (const page of PAGES) {
    const { path, blocks } = page;
    if (blocks.length === 0) continue;
    test.concurrent(
      path,
      async () => {
        const startedAt = performance.now();
        const count = await runPage(page, gateway);
        counts.set(path, { ...count, seconds: (performance.now() - startedAt) / 1_000 });
      },
      PAGE_LIMIT,
    );
  }
});

describe("the marks of the blocks", () => {
  test("can be read", () => {
    expect(PAGES.flatMap(({ faults }) => faults)).toEqual([]);
  });

  test("leave few blocks to be read only", () => {
    const blocks = PAGES.flatMap(({ blocks }) => blocks);
    const excerpts = blocks.filter(({ marks }) => marks.isExcerpt);
    expect(excerpts.length).toBeLessThanOrEqual(Math.ceil(blocks.length / 4));
  });
});

function pagesBelow(directory: string): string[] {
  return readdirSync(join(ROOT, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => join(directory, name));
}

function tableOf(all: typeof counts): string {
  const rows = [...all].toSorted().map(([path, { run, checked, excerpts, leftOut, seconds }]) => {
    const figures = [run, checked, excerpts, leftOut].map((figure) => String(figure).padStart(8));
    return `${path.padEnd(34)}${figures.join("")}${seconds.toFixed(1).padStart(8)}\n`;
  });
  const heads = ["run", "checked", "excerpt", "left out", "seconds"].map((head) => head.padStart(8)).join("");
  return `\n${"page".padEnd(34)}${heads}\n${rows.join("")}`;
}
