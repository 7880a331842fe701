/** Names a row of an endpoint; endpoints have no such character. */
export function keyOf(endpoint: string, id: string): string {
  return `${endpoint}\n${id}`;
}
