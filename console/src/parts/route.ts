import { useEffect, useState } from "preact/hooks";

/** The address of the page: the decoded parts of the path after `#`, and the query. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** The current route. Updates when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    addEventListener("hashchange", changed);
    // It can have changed between the first drawing and this.
    changed();
    return () => removeEventListener("hashchange", changed);
  }, []);
  return routeIn(hash);
}

/** The route at this moment, which the page may not show yet. */
export function routeNow(): Route {
  return routeIn(location.hash);
}

function routeIn(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    parts: path
      .split("/")
      .filter((part) => part !== "")
      .map((part) => decoded(part)),
    query: new URLSearchParams(query),
  };
}

/** The address of a page of the console. */
export function to(...parts: readonly string[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = to(...parts);
}

/** Goes to the address of a page. With `isSame`, "back" skips the address from which this one came. */
export function goToAddress(address: string, isSame = false): void {
  if (isSame) location.replace(address);
  else location.hash = address;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // A user typed it.
    return part;
  }
}
