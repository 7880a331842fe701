/** How a text looks in a terminal; as it is where there is none, or NO_COLOR is set (no-color.org). */
export type Style = (text: string) => string;

export const plain: Style = (text) => text;
export const dim: Style = style(2, 22);
export const red: Style = style(31, 39);
export const green: Style = style(32, 39);
export const yellow: Style = style(33, 39);

function style(on: number, off: number): Style {
  return (text) => (isColoured() ? `\x1b[${on}m${text}\x1b[${off}m` : text);
}

function isColoured(): boolean {
  return process.stdout.isTTY && (process.env["NO_COLOR"] ?? "") === "" && process.env["TERM"] !== "dumb";
}
