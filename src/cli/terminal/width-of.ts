/** Some terminals do not say how wide they are. */
const USUAL = 80;

/** How many characters a line has; no limit where there is no terminal. */
export function widthOf({ isTTY, columns }: NodeJS.WriteStream): number {
  return isTTY ? columns || USUAL : Infinity;
}
