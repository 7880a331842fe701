/** The sum of the products of two pieces of the same length. Four sums side by side keep the core busy. */
export function dot(
  left: Float64Array,
  leftAt: number,
  right: Float64Array,
  rightAt: number,
  length: number,
): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < length; at += 4) {
    const [l, r] = [leftAt + at, rightAt + at];
    first += (left[l] ?? 0) * (right[r] ?? 0);
    second += (left[l + 1] ?? 0) * (right[r + 1] ?? 0);
    third += (left[l + 2] ?? 0) * (right[r + 2] ?? 0);
    fourth += (left[l + 3] ?? 0) * (right[r + 3] ?? 0);
  }
  for (; at < length; at++) first += (left[leftAt + at] ?? 0) * (right[rightAt + at] ?? 0);
  return first + second + (third + fourth);
}

/** Adds a piece of `source`, times `factor`, to a piece of `target`. */
export function addScaled(
  target: Float64Array,
  targetAt: number,
  source: Float64Array,
  sourceAt: number,
  length: number,
  factor: number,
): void {
  for (let at = 0; at < length; at++) {
    target[targetAt + at] = (target[targetAt + at] ?? 0) + (source[sourceAt + at] ?? 0) * factor;
  }
}

/** One over the length of a piece, if each of its values were as large as they are on the average. */
export function inverseSize(values: Float64Array, from: number, length: number): number {
  return 1 / Math.sqrt(dot(values, from, values, from, length) / length + 1e-6);
}
