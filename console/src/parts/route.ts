import { useEffect, useState } from "preact/hooks";

/** Where the page is: the parts of the path behind its `#`, decoded, and the query behind that. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

/** The route now, and each time it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    parts: path
      .split("/")
      .filter((part) => part !== "")
      .map((part) => decoded(part)),
    query: new URLSearchParams(query),
  };
}

/** The address of a place in the console. */
export function to(...parts: readonly string[]): string {
  return `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
}

export function goTo(...parts: readonly string[]): void {
  location.hash = to(...parts);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Somebody typed it.
    return part;
  }
}
