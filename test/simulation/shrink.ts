import type { Plan } from "./plan.ts";

/**
 * A smaller plan that fails as well: halves, quarters and so on of its items are left out as long as it still
 * fails. Stops when no single item can go, or when the time (`isLate`) is over.
 */
export async function shrink(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  isLate: () => boolean,
): Promise<Plan> {
  let { items } = plan;
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < items.length && !isLate();) {
      const rest = [...items.slice(0, from), ...items.slice(from + size)];
      if (await fails({ ...plan, items: rest })) items = rest;
      else from += size;
    }
  }
  return { ...plan, items };
}
