const LN_2 = Math.LN2;

/**
 * e to the x, for x from -700 to 700. Made of sums and products alone, which every machine rounds alike:
 * Math.exp may differ in the last digit, and then the same training would give another file.
 */
export function exponential(x: number): number {
  if (x < -700) return 0;
  const doublings = Math.round(x / LN_2);
  const rest = x - doublings * LN_2;
  // What is left is at most 0.35, and the 13th member of the series below the last digit.
  let sum = 1;
  for (let member = 13; member > 0; member--) sum = 1 + (sum * rest) / member;
  return sum * powerOfTwo(doublings);
}

function powerOfTwo(exponent: number): number {
  let power = 1;
  const factor = exponent < 0 ? 0.5 : 2;
  for (let count = Math.abs(exponent); count > 0; count--) power *= factor;
  return power;
}
