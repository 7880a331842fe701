/** What a user is told whose server cannot have its port. */
export function takenPort(port: number): string {
  return `Port ${port} is in use by another program. Stop it, or choose a port with --port.`;
}
