import {
  type Declaration,
  declarationsIn,
  importOf,
  isReadable,
  meaningOf,
  returnsOf,
} from "./declarations.ts";
import type { ParsedFile } from "./source-texts.ts";
import { cookedOf, type Node, nodeAt, nodesAt, textAt } from "./syntax.ts";
import { VALUES } from "./values.ts";

/** How deep texts that consist of texts are followed. */
const DEEPEST = 6;

/** Renders the texts of the source with values: each way that a text can read. */
export class Renderer {
  readonly #files: ReadonlyMap<string, ParsedFile>;
  readonly #known = new Map<string, readonly Declaration[]>();
  /** Names of `values.ts` that a text has used. */
  readonly used = new Set<string>();

  constructor(files: readonly ParsedFile[]) {
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  /** Every way that a text can read. An expression without a value stands there as `⟨…⟩`. */
  render(node: Node, file: ParsedFile, depth = 0): readonly string[] {
    const at = (name: string): readonly string[] => {
      const part = nodeAt(node, name);
      return part === undefined ? [""] : this.render(part, file, depth);
    };
    switch (node.type) {
      case "Literal":
        return [String(node["value"])];
      case "JSXText":
        return [textAt(node, "value") ?? ""];
      case "TemplateLiteral":
        return this.#template(node, file, depth);
      case "ConditionalExpression":
        return [...at("consequent"), ...at("alternate")];
      case "ParenthesizedExpression":
        return at("expression");
      case "BinaryExpression":
        return node["operator"] === "+" && !isNumber(node)
          ? joined([at("left"), at("right")])
          : this.#value(node, file, depth);
      default:
        return this.#value(node, file, depth);
    }
  }

  #template(node: Node, file: ParsedFile, depth: number): readonly string[] {
    const expressions = nodesAt(node, "expressions");
    const parts = nodesAt(node, "quasis").flatMap((quasi, index) => {
      const own = [cookedOf(quasi)];
      const next = expressions[index];
      return next === undefined ? [own] : [own, this.render(next, file, depth)];
    });
    return joined(parts);
  }

  /** By `values.ts`, else by the declaration of its name, else by what it is made of. */
  #value(node: Node, file: ParsedFile, depth: number): readonly string[] {
    const source = file.text.slice(node.start, node.end).replaceAll(/\s+/g, " ");
    const exact = this.#lookUp(`${file.path}#${source}`) ?? this.#lookUp(source);
    if (exact !== undefined) return exact;
    const named = node.type === "CallExpression" ? nodeAt(node, "callee") : node;
    const name = named?.type === "Identifier" ? textAt(named, "name") : undefined;
    const found = name === undefined || depth > DEEPEST ? undefined : this.#declared(name, named, file);
    if (found !== undefined) return this.#declaration(found, depth + 1);
    if (isNumber(node)) return ["3"];
    return this.#lookUp(lastName(node) ?? "") ?? this.#part(node, file, depth) ?? [`⟨${source}⟩`];
  }

  /** The part that gives an expression its words: `x` of `x ?? y`, `x.join()` and `shown(x)`. */
  #part(node: Node, file: ParsedFile, depth: number): readonly string[] | undefined {
    const callee = nodeAt(node, "callee");
    const part =
      callee === undefined
        ? (nodeAt(node, "left") ?? nodeAt(node, "expression") ?? nodeAt(node, "argument"))
        : isOwnMethod(callee)
          ? nodeAt(callee, "object")
          : nodesAt(node, "arguments")[0];
    if (part === undefined || depth > DEEPEST) return undefined;
    const words = this.render(part, file, depth + 1);
    const isQuoted = callee !== undefined && file.text.slice(callee.start, callee.end) === "JSON.stringify";
    return isQuoted ? words.map((word) => JSON.stringify(word)) : words;
  }

  #lookUp(name: string): readonly string[] | undefined {
    if (!Object.hasOwn(VALUES, name)) return undefined;
    this.used.add(name);
    return VALUES[name];
  }

  #declaration({ node, file }: Declared, depth: number): readonly string[] {
    if (node.type !== "FunctionDeclaration") return this.render(node, file, depth);
    return returnsOf(node).flatMap((returned) => this.render(returned, file, depth));
  }

  /** The text, number or function of texts that a name stands for; undefined for all others. */
  #declared(name: string, at: Node | undefined, file: ParsedFile): Declared | undefined {
    let declarations = this.#known.get(file.path);
    if (declarations === undefined) {
      declarations = declarationsIn(file.program);
      this.#known.set(file.path, declarations);
    }
    const here = meaningOf(name, at?.start ?? 0, declarations)?.value;
    if (here !== undefined) return isReadable(here) ? { node: here, file } : undefined;
    const from = importOf(name, file);
    const other = from && this.#files.get(from.path);
    return other && this.#declared(from.name, undefined, other);
  }
}

interface Declared {
  readonly node: Node;
  readonly file: ParsedFile;
}

/** Puts alternatives together: the text has as many as the part that has the most. */
function joined(parts: readonly (readonly string[])[]): readonly string[] {
  const count = Math.max(1, ...parts.map((part) => part.length));
  return Array.from({ length: count }, (_, index) =>
    parts.map((part) => part[index % part.length] ?? "").join(""),
  );
}

/** Whether an expression calculates a number. */
function isNumber(node: Node): boolean {
  const last = lastName(node) ?? "";
  if (node.type === "MemberExpression") return last === "length";
  if (node.type === "CallExpression") return /^(floor|round|ceil|max|min|abs|toFixed)\(\)$/.test(last);
  if (node.type !== "BinaryExpression") return false;
  return "-*/%".includes(String(node["operator"])) || typeof nodeAt(node, "right")?.["value"] === "number";
}

/** Methods of text and lists, which keep its words. */
function isOwnMethod(callee: Node): boolean {
  const name = textAt(nodeAt(callee, "property"), "name") ?? "";
  return /^(join|slice|trim|replace|replaceAll|toString|at|map|split|padEnd|filter)$/.test(name);
}

/** The last name of `a.b.c`, `a.b?.c` or `c()`. */
function lastName(node: Node): string | undefined {
  switch (node.type) {
    case "Identifier":
      return textAt(node, "name");
    case "MemberExpression":
      return textAt(nodeAt(node, "property"), "name");
    case "ChainExpression":
    case "TSNonNullExpression":
    case "AwaitExpression": {
      const inner = nodeAt(node, "expression") ?? nodeAt(node, "argument");
      return inner && lastName(inner);
    }
    case "CallExpression": {
      const callee = nodeAt(node, "callee");
      const name = callee && lastName(callee);
      return name === undefined ? undefined : `${name}()`;
    }
    default:
      return undefined;
  }
}
