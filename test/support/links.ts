import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const LINK = /\]\(<?([^)\s>]*)>?(?:\s+"[^"]*")?\)/g;

/** A sentence for each link of these pages that leads nowhere. Other sites are not called. */
export function brokenLinks(root: string, pages: readonly string[]): string[] {
  return pages.flatMap((page) => {
    const text = withoutCode(readFileSync(join(root, page), "utf8"));
    return [...text.matchAll(LINK)].flatMap(([, target = ""]) => {
      const fault = faultOf(root, page, target);
      return fault === undefined ? [] : [`${page}: ${target}: ${fault}`];
    });
  });
}

function faultOf(root: string, page: string, target: string): string | undefined {
  if (/^[a-z]+:/i.test(target)) return faultOfAddress(target);
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? join(root, page) : join(root, dirname(page), decodeURIComponent(path));
  if (relative(root, file).startsWith("..")) return "it leads out of the repository";
  if (!existsSync(file)) return "there is no such file";
  if (anchor === undefined) return undefined;
  if (statSync(file).isDirectory() || !file.endsWith(".md")) return "only pages have anchors";
  if (anchorsOf(readFileSync(file, "utf8")).has(anchor)) return undefined;
  return "the page has no such heading";
}

function faultOfAddress(target: string): string | undefined {
  if (!URL.canParse(target)) return "it is no address";
  const { protocol, hostname } = new URL(target);
  const isHere = ["127.0.0.1", "localhost"].includes(hostname);
  return protocol === "https:" || (protocol === "http:" && isHere) ? undefined : "use https";
}

/** The anchors that GitHub gives to the headings of a page. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutBlocks(text).matchAll(/^#{1,6} +(.*?) *#*$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  for (const [, id = ""] of text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function slugOf(heading: string): string {
  const words = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1");
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
    .replaceAll(" ", "-");
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2\s*$/gm, "");
}

/** Without what stands in blocks and code spans: a link there is only shown. */
function withoutCode(text: string): string {
  return withoutBlocks(text).replaceAll(/(`+)(?!`)[^\n]*?[^`\n]\1(?!`)/g, "");
}
