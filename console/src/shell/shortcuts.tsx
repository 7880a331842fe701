import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { goTo, routeNow } from "../parts/route.ts";

/** What the keys do, as the help lists it. Two keys are pressed one after the other. */
const KEYS = [
  { keys: ["/"], what: "Search jobs, errors and endpoints" },
  { keys: ["g", "e"], what: "Go to endpoints" },
  { keys: ["g", "j"], what: "Go to jobs, of the endpoint if the page is of one" },
  { keys: ["?"], what: "Show the keyboard shortcuts" },
] as const;

/** How long the second key of two may take, ms. */
const SECOND = 1_500;

/** Whether the shortcuts are switched off in this browser: some people enter text by voice. */
const OFF = "forebay-no-shortcuts";

interface ShortcutsProperties {
  readonly isHelpOpen: boolean;
  readonly showHelp: (isOpen: boolean) => void;
}

/** The keyboard shortcuts of the console, and the list of them. */
export function Shortcuts({ isHelpOpen, showHelp }: ShortcutsProperties) {
  useEffect(() => {
    let isSecond = false;
    let timer = 0;
    const pressed = (event: KeyboardEvent): void => {
      if (!isShortcut(event)) return;
      const { key } = event;
      if (key === "?") showHelp(true);
      if (key === "/") {
        event.preventDefault();
        search();
      }
      if (isSecond && key === "e") goTo();
      if (isSecond && key === "j") goToJobs();
      isSecond = key === "g";
      window.clearTimeout(timer);
      timer = window.setTimeout(() => (isSecond = false), SECOND);
    };
    addEventListener("keydown", pressed);
    return () => {
      removeEventListener("keydown", pressed);
      window.clearTimeout(timer);
    };
  }, [showHelp]);
  return isHelpOpen ? <Help close={() => showHelp(false)} /> : null;
}

function isShortcut({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || localStorage.getItem(OFF) !== null) return false;
  const isTyped = target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
  return !isTyped && document.querySelector("dialog[open]") === null;
}

/** The page may not be drawn yet: its address says which endpoint it is of. */
function goToJobs(): void {
  const [first, id] = routeNow().parts;
  const isOfEndpoint = (first === "endpoints" && id !== "new") || first === "run";
  goTo(...(isOfEndpoint && id !== undefined ? ["endpoints", id] : []), "jobs");
}

function search(): void {
  document.querySelector<HTMLInputElement>("input.global-search")?.focus();
}

function Help({ close }: { close: () => void }) {
  const [isOff, setOff] = useState(localStorage.getItem(OFF) !== null);
  return (
    <Dialog title="Keyboard shortcuts" close={close}>
      <dl class="shortcuts">
        {KEYS.map(({ keys, what }) => (
          <div key={what}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={!isOff}
          onChange={(event) => {
            const isOn = event.currentTarget.checked;
            if (isOn) localStorage.removeItem(OFF);
            else localStorage.setItem(OFF, "true");
            setOff(!isOn);
          }}
        />
        Use them in this browser
      </label>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
