import { type Node, parseSync, visitorKeys } from "oxc-parser";

/** The name of the global function that marked functions call, with the number of their file. */
export const MARK = "__forebayRan";

/** The text of a file in which each function first says that it runs. */
export function markFunctions(path: string, text: string, file: number): string {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const call = `globalThis.${MARK}?.(${file})`;
  const insertions: { at: number; text: string }[] = [];

  function visit(node: Node): void {
    const body = bodyOf(node);
    if (body?.type === "BlockStatement") insertions.push({ at: body.start + 1, text: `${call};` });
    else if (body !== undefined) {
      insertions.push({ at: body.start, text: `(${call},` }, { at: body.end, text: ")" });
    }
    for (const key of visitorKeys[node.type] ?? []) {
      for (const child of [Reflect.get(node, key)].flat()) if (isNode(child)) visit(child);
    }
  }

  visit(program);
  let marked = text;
  // From the end, so that the places before stay; of two at one place the inner one was found later.
  for (const { at, text: added } of insertions.toSorted((a, b) => b.at - a.at)) {
    marked = marked.slice(0, at) + added + marked.slice(at);
  }
  return marked;
}

/** Undefined for what is no function, and for one that is only declared. */
function bodyOf(node: Node): Node | undefined {
  const isFunction =
    node.type === "FunctionDeclaration" ||
    node.type === "FunctionExpression" ||
    node.type === "ArrowFunctionExpression";
  return isFunction ? (node.body ?? undefined) : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
