/** What the cases of a workload share over all rounds, because it takes long to create. */
export interface Shared<Value> {
  /** The value of this key; the first call creates it. */
  get(key: string, create: () => Promise<Value>): Promise<Value>;
  /** Ends all values. */
  end(): Promise<void>;
}

/** `endOne` is not called for a value whose creation failed. */
export function shared<Value>(endOne: (value: Value) => Promise<void>): Shared<Value> {
  const all = new Map<string, Promise<Value>>();
  return {
    get(key, create) {
      const known = all.get(key) ?? create();
      all.set(key, known);
      return known;
    },
    async end() {
      const values = await Promise.allSettled(all.values());
      all.clear();
      for (const value of values) if (value.status === "fulfilled") await endOne(value.value);
    },
  };
}
