/**
 * Every text by which a secret of letters and digits can be found in something: as it is, in hexadecimal, and
 * in base64 wherever in a text it begins. Of letters and digits JSON and URLs change nothing.
 */
export function formsOf(secret: string): string[] {
  const hex = Buffer.from(secret).toString("hex");
  const encoded = [0, 1, 2].flatMap((shift) => base64At(secret, shift));
  return [...new Set([secret, hex, hex.toUpperCase(), ...encoded])];
}

/** Without the characters at both ends in which neighbours have a part. */
function base64At(secret: string, shift: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)]);
  const whole = bytes.length - (bytes.length % 3);
  const text = bytes
    .subarray(0, whole)
    .toString("base64")
    .slice(shift === 0 ? 0 : 4);
  return [text, text.replaceAll("+", "-").replaceAll("/", "_")];
}
