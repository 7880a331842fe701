/** What a change makes of a member: nothing leaves it as it is, and null puts the default back. */
export function choice<Value>(given: Value | null | undefined, present: Value, byDefault: Value): Value {
  return given === null ? byDefault : (given ?? present);
}
