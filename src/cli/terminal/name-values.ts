import { visibleText } from "../../domain/visible-text.ts";
import { dim, plain, type Style } from "./ansi.ts";

/** A line for each name with its value, the values below each other. */
export function nameValues(
  lines: readonly (readonly [name: string, value: string, style?: Style])[],
): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines
    .map(([name, value, style = plain]) => `${dim(name.padEnd(width))}  ${style(visibleText(value))}`)
    .join("\n");
}
