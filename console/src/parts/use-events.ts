import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, openEvents } from "../api.ts";

/** How long to wait before a refused stream is opened again, ms. */
const AGAIN = 5_000;

/**
 * Passes on each pushed event of a name while the page is visible. Browsers limit the connections to one
 * server, so hidden pages use none. Returns the reason if there are no events.
 */
export function useEvents(path: string, name: string, tell: (data: string) => void): ApiError | undefined {
  const [error, setError] = useState<ApiError>();
  const newest = useRef(tell);
  newest.current = tell;

  useEffect(() => {
    let events: EventSource | undefined;
    let timer = 0;
    function open(): void {
      if (document.visibilityState === "hidden" || events !== undefined) return;
      const opened = openEvents(path);
      events = opened;
      opened.addEventListener(name, ({ data }: MessageEvent<string>) => {
        setError(undefined);
        newest.current(data);
      });
      opened.addEventListener("error", () => {
        // The browser itself reconnects if the connection failed.
        if (opened.readyState !== EventSource.CLOSED) return;
        close();
        setError(new ApiError("The server sends no updates. Trying again.", "NO_ANSWER", 0));
        timer = window.setTimeout(open, AGAIN);
      });
    }
    function close(): void {
      window.clearTimeout(timer);
      events?.close();
      events = undefined;
    }
    function seen(): void {
      if (document.visibilityState === "hidden") close();
      else open();
    }
    open();
    document.addEventListener("visibilitychange", seen);
    return () => {
      document.removeEventListener("visibilitychange", seen);
      close();
    };
  }, [path, name]);
  return error;
}
