import { useEffect, useState } from "preact/hooks";

/** A number that changes whenever the colours of the page do: what is drawn with them is drawn anew. */
export function useLook(): number {
  const [look, setLook] = useState(0);
  useEffect(() => {
    const changed = (): void => setLook((before) => before + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    const chosen = new MutationObserver(changed);
    system.addEventListener("change", changed);
    chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", changed);
      chosen.disconnect();
    };
  }, []);
  return look;
}
