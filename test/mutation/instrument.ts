import { type Node, parseSync, visitorKeys } from "oxc-parser";
import { mutationsOf } from "./mutations.ts";
import type { Mutant, Mutation } from "./mutant.ts";

export interface Instrumented {
  /** The file with all its mutants in it, of which `__mutant(id)` chooses one or none. */
  readonly text: string;
  readonly mutants: readonly Mutant[];
}

/**
 * Puts every mutant of a file beside the original. A mutant is written as in the file, without others in it,
 * since only one is ever active.
 */
export function instrument(file: string, source: string, firstId: number): Instrumented {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`);
  const mutants: Mutant[] = [];
  const seen = new Set<string>();
  const textOf = (node: Node): string => source.slice(node.start, node.end);

  function number(mutations: readonly Mutation[]): Mutant[] {
    const fresh = mutations.filter(({ start, end, text }) => {
      const key = `${start} ${end} ${text}`;
      return !seen.has(key) && seen.add(key);
    });
    return fresh.map((mutation) => {
      const line = source.slice(0, mutation.start).split("\n").length;
      const mutant = Object.assign({ id: firstId + mutants.length, file, line }, mutation);
      mutants.push(mutant);
      return mutant;
    });
  }

  function render(node: Node, parent?: Node, grandparent?: Node): string {
    // Those of a condition are of its statement, so they are asked of both.
    const own = number(mutationsOf({ node, parent, grandparent, textOf }));
    const here = own.filter(({ start, end }) => start === node.start && end === node.end);
    const below = own.filter((mutant) => !here.includes(mutant));
    let text = "";
    let at = node.start;
    for (const child of childrenOf(node)) {
      const mutantsOfChild = below.filter(({ start, end }) => start === child.start && end === child.end);
      text += source.slice(at, child.start) + switched(mutantsOfChild, render(child, node, parent));
      at = child.end;
    }
    return switched(here, text + source.slice(at, node.end));
  }

  const text = source.slice(0, program.start) + render(program) + source.slice(program.end);
  return { text, mutants };
}

function switched(mutants: readonly Mutant[], original: string): string {
  return mutants.reduceRight((rest, { id, form, text }) => {
    if (form === "statement") return `{if(!__mutant(${id})){${rest}}}`;
    if (form === "member") return `...(__mutant(${id})?{}:{${rest}})`;
    return `(__mutant(${id})?(${text}):${rest})`;
  }, original);
}

/** The children in which mutants may be, in the order of the file. */
function childrenOf(node: Node): Node[] {
  const keys = visitorKeys[node.type] ?? [];
  return keys
    .filter((key) => !isLeftOut(node, key))
    .flatMap((key): Node[] => [Reflect.get(node, key)].flat().filter(isNode))
    .filter((child) => !isTypeOnly(child))
    .flatMap((child) => (isSpine(node, child) ? childrenOf(child) : [child]))
    .toSorted((a, b) => a.start - b.start);
}

/** Names, patterns and addresses of modules: where no expression can be. */
function isLeftOut(node: Node, key: string): boolean {
  switch (node.type) {
    case "Property":
      return (key === "key" && !node.computed) || node.shorthand;
    case "PropertyDefinition":
    case "MethodDefinition":
      return key === "key" && !node.computed;
    case "AssignmentExpression":
      return key === "left";
    case "UpdateExpression":
      return true;
    case "ForOfStatement":
    case "ForInStatement":
      return key === "left";
    case "TaggedTemplateExpression":
      return true;
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
      return true;
    case "ExportNamedDeclaration":
      return key !== "declaration";
    default:
      return false;
  }
}

/** `a?.b().c`: a switch around a part of it would end what `?.` skips, so only the arguments have some. */
function isSpine(node: Node, child: Node): boolean {
  if (node.type === "ChainExpression") return true;
  const isLink = child.type === "CallExpression" || child.type === "MemberExpression";
  const isHead =
    (node.type === "CallExpression" && node.callee === child) ||
    (node.type === "MemberExpression" && node.object === child);
  return isLink && isHead && textHasChain(child);
}

function textHasChain(node: Node): boolean {
  if (node.type === "CallExpression") return node.optional || textHasChain(node.callee);
  if (node.type === "MemberExpression") return node.optional || textHasChain(node.object);
  return false;
}

function isTypeOnly({ type }: Node): boolean {
  const wrappers = ["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"];
  return (type.startsWith("TS") && !wrappers.includes(type)) || type === "TemplateElement";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
