import { useEffect, useState } from "preact/hooks";

/** The colour theme: that of the system, or always light or dark. */
export type Theme = "system" | "light" | "dark";

const KEPT = "forebay-theme";

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEPT);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Stores the theme in this browser, and applies it. */
export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, theme);
  applyTheme();
}

export function applyTheme(): void {
  const theme = chosenTheme();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** A number that changes with the colours of the page, so that drawings are redrawn. */
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
