import { parseSync, Visitor } from "oxc-parser";

type FunctionNode = { readonly body: { readonly start: number; readonly end: number } | null };

/** The lines of the longest function body of a file, with the lines of its braces; 0 without functions. */
export function longestFunction(path: string, text: string): number {
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  let longest = 0;
  const measure = ({ body }: FunctionNode): void => {
    if (body !== null) longest = Math.max(longest, lineAt(body.end) - lineAt(body.start) + 1);
  };
  const visitor = new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  });
  visitor.visit(parseSync(path, text).program);
  return longest;
}
