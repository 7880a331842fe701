import type { CallExpression, Expression, Node } from "oxc-parser";
import type { Place } from "./mutant.ts";

const COMPARISONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["<", ["<=", ">="]],
  ["<=", ["<", ">"]],
  [">", [">=", "<="]],
  [">=", [">", "<"]],
  ["===", ["!=="]],
  ["!==", ["==="]],
]);
const ARITHMETIC: ReadonlyMap<string, string> = new Map([
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["%", "*"],
  ["**", "*"],
]);
const ASSIGNMENTS: ReadonlyMap<string, string> = new Map([
  ["+=", "-="],
  ["-=", "+="],
  ["*=", "/="],
  ["||=", "="],
  ["??=", "="],
]);
const METHODS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["find", "findLast"],
  ["findLast", "find"],
  ["toLowerCase", "toUpperCase"],
  ["ceil", "floor"],
  ["floor", "ceil"],
]);
/** Calls whose object is of the same type as their result. */
const REMOVED = new Set(["filter", "slice", "toSorted", "toReversed", "sort", "trim", "subarray"]);

/** What to write instead of an expression. */
export function expressionTexts(place: Place): string[] {
  const { node, textOf } = place;
  switch (node.type) {
    case "BinaryExpression":
      return binaryTexts(node.operator, isText(node), textOf(node.left), textOf(node.right));
    case "LogicalExpression":
      return [textOf(node.left), textOf(node.right)];
    case "ConditionalExpression":
      return isOwnMutant(node.test)
        ? []
        : [`!(${textOf(node.test)}) ? ${textOf(node.consequent)} : ${textOf(node.alternate)}`];
    case "UnaryExpression":
      return node.operator === "!" || node.operator === "-" ? [textOf(node.argument)] : [];
    case "UpdateExpression":
      return [node.operator === "++" ? "--" : "++"].map((operator) =>
        node.prefix ? operator + textOf(node.argument) : textOf(node.argument) + operator,
      );
    case "AssignmentExpression": {
      const operator = ASSIGNMENTS.get(node.operator);
      return operator === undefined ? [] : [`${textOf(node.left)} ${operator} ${textOf(node.right)}`];
    }
    case "CallExpression":
      return callTexts(node, textOf);
    case "ArrayExpression":
      return node.elements.length > 0 ? ["[]"] : [];
    case "Literal":
      return literalTexts(place);
    case "TemplateLiteral":
      return isOfError(place.parent) || node.quasis.every(({ value }) => value.raw === "") ? [] : ["``"];
    default:
      return [];
  }
}

/** A condition of an `if` or a loop, which is negated unless it has a mutant that says the same. */
export function isNegated(condition: Expression): boolean {
  return !isOwnMutant(condition);
}

function isOwnMutant(condition: Expression): boolean {
  if (condition.type === "BinaryExpression") return COMPARISONS.has(condition.operator);
  return condition.type === "UnaryExpression" && condition.operator === "!";
}

function binaryTexts(operator: string, isText: boolean, left: string, right: string): string[] {
  const arithmetic = isText ? undefined : ARITHMETIC.get(operator);
  const others = COMPARISONS.get(operator) ?? (arithmetic === undefined ? [] : [arithmetic]);
  return others.map((other) => `${left} ${other} ${right}`);
}

function callTexts(node: CallExpression, textOf: (node: Node) => string): string[] {
  const { callee } = node;
  if (callee.type !== "MemberExpression" || callee.computed || node.optional || callee.optional) return [];
  if (callee.property.type !== "Identifier") return [];
  const { name } = callee.property;
  const object = textOf(callee.object);
  if (REMOVED.has(name)) return [object];
  const other = METHODS.get(name);
  return other === undefined ? [] : [`${object}.${other}(${node.arguments.map(textOf).join(", ")})`];
}

function literalTexts({ node, parent, textOf }: Place): string[] {
  if (node.type !== "Literal") return [];
  if (typeof node.value === "boolean") return [String(!node.value)];
  if (typeof node.value === "number") return [`${textOf(node)} + 1`];
  // A comparison with a text is turned around already.
  if (typeof node.value !== "string" || parent?.type === "BinaryExpression" || isOfError(parent)) return [];
  return [node.value === "" ? '"mutated"' : '""'];
}

/** The sentence of an error of the code: no test need know it. */
function isOfError(parent: Node | undefined): boolean {
  return (
    parent?.type === "NewExpression" &&
    parent.callee.type === "Identifier" &&
    ["Error", "RangeError", "TypeError"].includes(parent.callee.name)
  );
}

/** `+` of texts. */
function isText(node: Node): boolean {
  if (node.type === "TemplateLiteral") return true;
  if (node.type === "Literal") return typeof node.value === "string";
  return node.type === "BinaryExpression" && (isText(node.left) || isText(node.right));
}
