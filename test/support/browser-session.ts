import type { TestClient } from "./test-client.ts";

/** The headers by which a browser is signed in, as a call of the page sends them. */
export type SessionHeaders = Record<"authorization" | "cookie" | "origin", string>;

/** Signs in with the key. Who has the headers can use them elsewhere: they are a copy of the cookie. */
export async function signIn(server: TestClient, key: string): Promise<SessionHeaders> {
  const own = { authorization: "", origin: server.url };
  const { headers } = await server.post("/console/session", { key }, own);
  const [cookie = ""] = (headers.get("set-cookie") ?? "").split(";");
  return { ...own, cookie };
}

/** The status of the answer to a click on "Sign out". */
export async function signOut(server: TestClient, session: SessionHeaders): Promise<number> {
  const headers = { ...session, origin: server.url };
  return (await server.call("DELETE", "/console/session", undefined, headers)).status;
}
