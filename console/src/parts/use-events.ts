import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, openEvents } from "../api.ts";

/** After how long a stream that was refused is asked for again, ms. */
const AGAIN = 5_000;

/**
 * Tells each event of a name that the server pushes, while the page is seen: a browser opens few connections
 * to one server, and pages in the background leave them to others. The answer is why there are none.
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
        // The browser itself tries again where there was no answer at all.
        if (opened.readyState !== EventSource.CLOSED) return;
        close();
        setError(new ApiError("The server pushes no news. The page tries again.", "NO_ANSWER", 0));
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
