/** A value that is here already, or a promise of it: a promise for what is here would cost every job. */
export type Soon<Value> = Value | Promise<Value>;

/** What `make` makes of the value: at once if the value is here. */
export function whenHere<Value, Result>(value: Soon<Value>, make: (value: Value) => Result): Soon<Result> {
  return value instanceof Promise ? value.then(make) : make(value);
}

/** All values in their order: at once if all are here. */
export function allHere<Value>(values: readonly Soon<Value>[]): Soon<readonly Value[]> {
  return values.every(isHere) ? values : Promise.all(values);
}

function isHere<Value>(value: Soon<Value>): value is Value {
  return !(value instanceof Promise);
}
