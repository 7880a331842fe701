import type { BrowserContext, Page, Request } from "playwright-core";
import { until } from "../support/until.ts";

/** What moved without a person having done anything, as Chromium counts it. */
export interface LayoutShift {
  readonly value: number;
  /** What moved, and how far. */
  readonly moved: readonly string[];
}

/** Keeps the shifts of each page that the context opens from now on, from its first frame. */
export async function watchLayoutShifts(context: BrowserContext): Promise<void> {
  await context.addInitScript(`{
    window.shifts = [];
    const place = ({ node, previousRect, currentRect }) =>
      [node?.nodeName, node?.className, (node?.textContent ?? "").slice(0, 30)].join(" ") +
      \` \${Math.round(previousRect.y)} -> \${Math.round(currentRect.y)}\`;
    const keep = (entries) => window.shifts.push(...entries.filter(({ hadRecentInput }) => !hadRecentInput)
      .map(({ value, sources }) => ({ value, moved: sources.map(place) })));
    const watch = new PerformanceObserver((list) => keep(list.getEntries()));
    watch.observe({ type: "layout-shift", buffered: true });
    window.shiftsSoFar = () => (keep(watch.takeRecords()), window.shifts);
  }`);
}

/** Tells how many requests of a page are unanswered, streams of events left out. */
export function countOpen(page: Page): () => number {
  const open = new Set<Request>();
  page.on("request", (request) => {
    if (request.resourceType() !== "eventsource") open.add(request);
  });
  page.on("requestfinished", (request) => open.delete(request));
  page.on("requestfailed", (request) => open.delete(request));
  return () => open.size;
}

/** The shifts of a page when all that it asked for is there and drawn. */
export async function shiftsOf(page: Page, open: () => number): Promise<readonly LayoutShift[]> {
  await until("all that the page asked for is drawn", async () => {
    await page.evaluate(TWO_FRAMES);
    return open() === 0 && (await page.evaluate(IS_IDLE));
  });
  await page.evaluate(TWO_FRAMES);
  return page.evaluate<LayoutShift[]>("window.shiftsSoFar()");
}

const IS_IDLE = `document.querySelector("[aria-busy=true]") === null`;

const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
