import { dirname, join } from "node:path";
import { isText, type ParsedFile } from "./source-texts.ts";
import { isNode, type Node, nodeAt, nodesAt, textAt, walk } from "./syntax.ts";

/** A constant or a function of a file, and where it can be used. */
export interface Declaration {
  readonly name: string;
  /** The function, or the value of the constant. */
  readonly value: Node;
  readonly scope: Node;
}

const SCOPES = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression|BlockStatement)$/;

/** The constants and functions of a file. */
export function declarationsIn(program: Node): readonly Declaration[] {
  const found: Declaration[] = [];
  const visit = (node: Node, scope: Node): void => {
    if (node.type === "FunctionDeclaration") add(node, node, scope);
    if (node.type === "VariableDeclaration" && node["kind"] === "const") {
      for (const one of nodesAt(node, "declarations")) add(one, nodeAt(one, "init"), scope);
    }
    const inner = SCOPES.test(node.type) ? node : scope;
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child, inner);
  };
  const add = (declared: Node, value: Node | undefined, scope: Node): void => {
    const name = textAt(nodeAt(declared, "id"), "name");
    if (name !== undefined && value !== undefined) found.push({ name, value, scope });
  };
  visit(program, program);
  return found;
}

/** What a name means at an offset: the declaration of the innermost scope. */
export function meaningOf(
  name: string,
  at: number,
  declarations: readonly Declaration[],
): Declaration | undefined {
  return declarations
    .filter((one) => one.name === name && one.scope.start <= at && at < one.scope.end)
    .toSorted((left, right) => left.scope.end - left.scope.start - (right.scope.end - right.scope.start))[0];
}

/** What a function returns as text. */
export function returnsOf(declaration: Node): Node[] {
  const returned: Node[] = [];
  walk(declaration, (node) => {
    const argument = node.type === "ReturnStatement" ? nodeAt(node, "argument") : undefined;
    if (argument !== undefined && isText(argument)) returned.push(argument);
  });
  return returned;
}

/** Whether an expression is a text, a number, or a choice of them. */
export function isReadable(node: Node): boolean {
  if (node.type === "FunctionDeclaration") return returnsOf(node).length > 0;
  return isText(node) || (node.type === "Literal" && typeof node["value"] === "number");
}

/** The file and the name that a name was imported from. */
export function importOf(name: string, file: ParsedFile): { path: string; name: string } | undefined {
  for (const statement of nodesAt(file.program, "body")) {
    if (statement.type !== "ImportDeclaration") continue;
    const from = textAt(nodeAt(statement, "source"), "value") ?? "";
    const named = nodesAt(statement, "specifiers").find(
      (one) => textAt(nodeAt(one, "local"), "name") === name,
    );
    if (named === undefined || !from.startsWith(".")) continue;
    const imported = textAt(nodeAt(named, "imported"), "name") ?? name;
    return { path: join(dirname(file.path), from), name: imported };
  }
  return undefined;
}
