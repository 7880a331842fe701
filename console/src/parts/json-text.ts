const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;

/** The tokens of a JSON text in their order, numbers as they were written. */
export function jsonTokens(json: string): string[] {
  return json.match(TOKENS) ?? [];
}

/** The same JSON on one line. */
export function compactJson(json: string): string {
  return jsonTokens(json)
    .map((token) => (token === "," || token === ":" ? `${token} ` : token))
    .join("");
}

/** The same JSON with a member on each line. Numbers, names and their order stay as they were written. */
export function indentedJson(json: string): string {
  const tokens = jsonTokens(json);
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  const parts = tokens.map((token, index) => {
    const next = tokens[index + 1];
    const isEmpty = (token === "{" && next === "}") || (token === "[" && next === "]");
    if (isEmpty) return token;
    if (token === "{" || token === "[") {
      depth++;
      return token + line();
    }
    if (token === "}" || token === "]") {
      const before = tokens[index - 1];
      if ((token === "}" && before === "{") || (token === "]" && before === "[")) return token;
      depth--;
      return line() + token;
    }
    if (token === ",") return `,${line()}`;
    return token === ":" ? ": " : token;
  });
  return parts.join("");
}
