import type { Node, ObjectProperty, Statement } from "oxc-parser";
import { expressionTexts, isNegated } from "./expression-mutators.ts";
import type { Mutation, Place } from "./mutant.ts";
import { sqlMutations } from "./sql-mutators.ts";

/** All changes of one node; those of its children are theirs. */
export function mutationsOf(place: Place): Mutation[] {
  const { node, textOf } = place;
  const { start, end } = node;
  const written = textOf(node);
  const sql = isText(node) ? sqlMutations(start, written) : [];
  const expressions = (sql.length > 0 ? [] : expressionTexts(place))
    .filter((text) => text !== written)
    .map((text): Mutation => ({ start, end, text, form: "expression" }));
  return [...expressions, ...sql, ...conditionMutations(place), ...removals(place)];
}

function conditionMutations({ node, textOf }: Place): Mutation[] {
  const isBranch =
    node.type === "IfStatement" || node.type === "WhileStatement" || node.type === "DoWhileStatement";
  if (!isBranch || !isNegated(node.test)) return [];
  const { start, end } = node.test;
  return [{ start, end, text: `!(${textOf(node.test)})`, form: "expression" }];
}

function removals({ node, parent, grandparent }: Place): Mutation[] {
  const { start, end } = node;
  if (isRemovableStatement(node, parent, grandparent)) return [{ start, end, text: "{}", form: "statement" }];
  if (
    node.type === "Property" &&
    parent?.type === "ObjectExpression" &&
    isRemovableMember(node as ObjectProperty)
  ) {
    return [{ start, end, text: "...{}", form: "member" }];
  }
  return [];
}

function isRemovableStatement(node: Node, parent: Node | undefined, grandparent: Node | undefined): boolean {
  switch (node.type) {
    case "ExpressionStatement":
      return node.expression.type !== "Literal" && !isSuper(node);
    case "ThrowStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return true;
    case "ReturnStatement":
      return !isLastOfFunction(node, parent, grandparent);
    default:
      return false;
  }
}

function isSuper(node: Statement): boolean {
  if (node.type !== "ExpressionStatement") return false;
  return node.expression.type === "CallExpression" && node.expression.callee.type === "Super";
}

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** Without its last return a function gives nothing, which the types refuse. */
function isLastOfFunction(node: Node, block: Node | undefined, owner: Node | undefined): boolean {
  return block?.type === "BlockStatement" && block.body.at(-1) === node && FUNCTIONS.has(owner?.type ?? "");
}

/** A member whose value is written, so that `...{ name: value }` says the same. */
function isRemovableMember({ kind, key }: ObjectProperty): boolean {
  return kind === "init" && !(key.type === "Identifier" && key.name === "__proto__");
}

function isText(node: Node): boolean {
  return node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
}
