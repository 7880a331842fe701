import type { TestClient } from "./test-client.ts";

/** How it is with the workers of an endpoint, as its record shows it. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into records of any shape
export async function endpointFleet(server: TestClient, endpoint: string): Promise<any> {
  return (await server.get(`/v1/endpoints/${endpoint}`)).json.fleet;
}
