import { parseSync } from "oxc-parser";
import { filesOf, type SourceFile } from "../support/source-files.ts";
import { isNode, type Node, nodeAt, nodesAt, textAt, walk } from "./syntax.ts";

/** What a person reads of a text: an error, a line of the log, a description, or anything else. */
export type Kind = "error" | "log" | "description" | "fault of the code" | "other";

/** A text in the source. */
export interface SourceText {
  readonly path: string;
  readonly line: number;
  readonly kind: Kind;
  /** The code of a ForebayError, else the name of the error, else the file. */
  readonly group: string;
  readonly node: Node;
  readonly file: ParsedFile;
}

export interface ParsedFile extends SourceFile {
  readonly program: Node;
}

/** All files of TypeScript below some folders, parsed. */
export function parsedFiles(...folders: readonly string[]): ParsedFile[] {
  return folders.flatMap(filesOf).map((file) => {
    const program: unknown = parseSync(file.path, file.text).program;
    if (!isNode(program)) throw new Error(`${file.path} cannot be parsed`);
    return Object.assign({}, file, { program });
  });
}

/** The texts of a file that a person can read. */
export function textsOf(file: ParsedFile): SourceText[] {
  const texts: SourceText[] = [];
  const named: Context["named"] = namedErrors(file.program);
  visit(file.program, { kind: "other", group: file.path, named }, file, texts);
  return texts.filter(({ node }) => node.type !== "Literal" || / /.test(textAt(node, "value") ?? ""));
}

/** Whether an expression is text: a literal, a template, a sum of texts, or a choice of texts. */
export function isText(node: Node): boolean {
  switch (node.type) {
    case "Literal":
      return typeof node["value"] === "string";
    case "TemplateLiteral":
    case "JSXText":
      return true;
    case "BinaryExpression":
      return node["operator"] === "+" && (isTextAt(node, "left") || isTextAt(node, "right"));
    case "ConditionalExpression":
      return isTextAt(node, "consequent") && isTextAt(node, "alternate");
    case "ParenthesizedExpression":
      return isTextAt(node, "expression");
    default:
      return false;
  }
}

function isTextAt(node: Node, name: string): boolean {
  const part = nodeAt(node, name);
  return part !== undefined && isText(part);
}

interface Context extends Pick<SourceText, "kind" | "group"> {
  /** The errors whose sentence is a name that this file declares, by that name. */
  readonly named: ReadonlyMap<string, Pick<SourceText, "kind" | "group">>;
}

/** Texts for developers: the document of the API and the help of commands. */
const DESCRIBED =
  /^(description|summary|about|help|examples?|sentence|meaning|title|words|value|purpose|schema)$/;
const LOGS = /^(info|warn|error|debug)$/;

function visit(node: Node, context: Context, file: ParsedFile, texts: SourceText[]): void {
  if (SKIPPED.has(node.type)) return;
  if (isText(node)) {
    const line = file.text.slice(0, node.start).split("\n").length;
    texts.push({ path: file.path, line, ...context, node, file });
    for (const part of embeddedIn(node)) visitParts(part, context, file, texts);
    return;
  }
  visitParts(node, contextIn(node, context), file, texts);
}

function visitParts(node: Node, context: Context, file: ParsedFile, texts: SourceText[]): void {
  for (const child of Object.values(node)) {
    for (const part of Array.isArray(child) ? child : [child]) {
      if (isNode(part)) visit(part, context, file, texts);
    }
  }
}

/** The expressions in a text that are not themselves texts, such as calls with texts in their arguments. */
function embeddedIn(node: Node): Node[] {
  const parts =
    node.type === "TemplateLiteral"
      ? nodesAt(node, "expressions")
      : ["left", "right", "test", "consequent", "alternate", "expression"].flatMap(
          (name) => nodeAt(node, name) ?? [],
        );
  return parts.flatMap((part) => (isText(part) ? embeddedIn(part) : [part]));
}

const SKIPPED = new Set([
  "ImportDeclaration",
  "ExportAllDeclaration",
  "TSTypeAnnotation",
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSTypeParameterInstantiation",
]);

function contextIn(node: Node, context: Context): Context {
  const declared = context.named.get(textAt(nodeAt(node, "id"), "name") ?? "");
  if (declared !== undefined) return { ...context, ...declared };
  if (node.type === "NewExpression") return { ...context, ...errorOf(node) };
  if (node.type === "CallExpression") {
    const callee = nodeAt(node, "callee");
    if (callee?.type === "Super") return { ...context, ...codeOf(node) };
    if (isLog(callee)) return { ...context, kind: "log" };
  }
  if (node.type === "Property" && DESCRIBED.test(textAt(nodeAt(node, "key"), "name") ?? "")) {
    return context.kind === "other" ? { ...context, kind: "description" } : context;
  }
  return context;
}

function isLog(callee: Node | undefined): boolean {
  const owner = nodeAt(callee, "object");
  const name = textAt(owner, "name") ?? textAt(nodeAt(owner, "property"), "name") ?? "";
  return LOGS.test(textAt(nodeAt(callee, "property"), "name") ?? "") && /log$/i.test(name);
}

type ErrorGroup = Pick<SourceText, "kind" | "group">;

const OPERATOR_ERRORS = /(Error|Fault|Failure|Refused|Refusal|Away|NoRoom|Limited|Headers|NoCgroup|Damaged)$/;

function errorOf(node: Node): ErrorGroup | undefined {
  const name = textAt(nodeAt(node, "callee"), "name") ?? "";
  if (/^(Range|Type|Syntax)?Error$/.test(name)) return { kind: "fault of the code", group: name };
  if (!OPERATOR_ERRORS.test(name)) return undefined;
  return codeOf(node) ?? { kind: "error", group: name };
}

/** The code that is the first argument of an error. */
function codeOf(node: Node): ErrorGroup | undefined {
  const code = textAt(nodesAt(node, "arguments")[0], "value");
  return code !== undefined && /^[A-Z_]+$/.test(code) ? { kind: "error", group: code } : undefined;
}

/** The errors whose sentence is a constant or a call, such as `sentenceOf(x)`, by its name. */
function namedErrors(program: Node): Map<string, ErrorGroup> {
  const found = new Map<string, ErrorGroup>();
  walk(program, (node) => {
    const group = node.type === "NewExpression" ? errorOf(node) : undefined;
    if (group?.kind !== "error") return;
    for (const argument of nodesAt(node, "arguments")) {
      const named = argument.type === "CallExpression" ? nodeAt(argument, "callee") : argument;
      const name = named?.type === "Identifier" ? textAt(named, "name") : undefined;
      if (name !== undefined && !found.has(name)) found.set(name, group);
    }
  });
  return found;
}
