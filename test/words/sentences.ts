import { Renderer } from "./render.ts";
import { parsedFiles, type SourceText, textsOf } from "./source-texts.ts";
import { cookedOf, type Node, nodeAt, nodesAt, textAt } from "./syntax.ts";

/** A text of the product, and every way that it can read. */
export interface Sentence extends Pick<SourceText, "path" | "kind" | "group"> {
  /** Its file and line. */
  readonly place: string;
  readonly readings: readonly string[];
}

/** All texts of some folders that are words for a person, rendered; and the values of `values.ts` in them. */
export function sentencesOf(...folders: readonly string[]): {
  readonly sentences: readonly Sentence[];
  readonly used: ReadonlySet<string>;
} {
  const files = parsedFiles(...folders);
  const renderer = new Renderer(files);
  const sentences = files
    .flatMap(textsOf)
    .filter(isSentence)
    .map(({ node, file, line, path, kind, group }) => ({
      path,
      kind,
      group,
      place: `${path}:${line}`,
      readings: [...new Set(renderer.render(node, file))],
    }));
  return { sentences, used: renderer.used };
}

const SQL = [
  /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|PRAGMA|CREATE (TABLE|INDEX)|AND \(|LOCK TABLE|excluded\.)/,
  /::\w+ AS|\b(iif|coalesce)\(/,
];

/** Scripts, JSON, paths, markup and columns. */
const CODE = [
  /[{};]\n|\$\(|\n\n|^\{?"|^\/v[12]\/|^<|^\^|^ *complete -c|autoload|__fish|\bread -r\b/,
  /^(event|data|id|retry): |^\w+\/\w+; |importlib|^import |^forebay-session/,
  /^(seq|job\.|delivery\.|endpoint, |ended_at)|^(?!docs)\S*:\/\/\S*$/,
];

function isSentence({ kind, node }: SourceText): boolean {
  const own = ownWords(node);
  if ([...SQL, ...CODE].some((pattern) => pattern.test(own))) return false;
  if (kind === "error" || kind === "log") return /[a-z]{2,}.* .*[a-z]{2,}/i.test(own);
  return (own.match(/[A-Za-z]{2,}/g) ?? []).length > 2 && /[A-Za-z']+[,:;]? [a-z']+[,:]? [a-z']+/.test(own);
}

/** The words that stand in the text itself, with an `x` for each expression in it. */
function ownWords(node: Node): string {
  switch (node.type) {
    case "Literal":
    case "JSXText":
      return textAt(node, "value") ?? "x";
    case "TemplateLiteral":
      return nodesAt(node, "quasis")
        .map((quasi) => cookedOf(quasi))
        .join("x");
    case "BinaryExpression":
      return ["left", "right"].map((name) => partWords(node, name)).join("");
    case "ConditionalExpression":
      return ["consequent", "alternate"].map((name) => partWords(node, name)).join(" | ");
    case "ParenthesizedExpression":
      return partWords(node, "expression");
    default:
      return "x";
  }
}

function partWords(node: Node, name: string): string {
  const part = nodeAt(node, name);
  return part === undefined ? "" : ownWords(part);
}
