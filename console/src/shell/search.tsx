import { useEffect, useId, useRef, useState } from "preact/hooks";
import { goToAddress } from "../parts/route.ts";
import { useEndpointNames } from "../parts/use-polled.ts";
import { anyErrorWith, endpointsLike, errorsLike, jobsOfId, type Suggestion } from "./suggestions.ts";

/** How long typing must pause before the server is asked, ms. */
const PAUSE = 200;

/** What the server found for a text. */
interface Found {
  readonly text: string;
  readonly jobs: readonly Suggestion[];
  readonly errors: readonly Suggestion[];
}

/** Finds a job by its id, jobs by a part of their error, and endpoints by name, from every page. */
export function Search() {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState(0);
  const [isWanted, setWanted] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const text = typed.trim();
  const found = useFound(text);
  const names = useEndpointNames(isWanted);
  const isKnown = found?.text === text;
  const suggestions = text === "" ? [] : suggestionsOf(text, names, found);
  const at = Math.min(chosen, suggestions.length - 1);
  const isShown = isOpen && suggestions.length > 0;
  // Enter was pressed before the server had answered.
  const waitsFor = useRef<string | undefined>(undefined);

  function go(suggestion: Suggestion | undefined): void {
    waitsFor.current = undefined;
    if (suggestion === undefined) return;
    setOpen(false);
    setTyped("");
    input.current?.blur();
    goToAddress(suggestion.href);
  }

  useEffect(() => {
    if (isKnown && waitsFor.current === text && text !== "") go(suggestions[0]);
  }, [isKnown, text]);

  function pressed(event: KeyboardEvent): void {
    const { key } = event;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      const step = key === "ArrowDown" ? 1 : -1;
      setOpen(true);
      setChosen((at + step + suggestions.length) % Math.max(1, suggestions.length));
    }
    if (key === "Escape" && isShown) {
      // What is typed stays; a second Escape clears it.
      event.preventDefault();
      setOpen(false);
    }
    if (key === "Enter") {
      event.preventDefault();
      if (isKnown || chosen > 0) go(suggestions[at]);
      else waitsFor.current = text;
    }
  }

  return (
    <search class="search" onFocusOut={(event) => leaves(event) && setOpen(false)}>
      <input
        ref={input}
        type="search"
        class="global-search"
        list={undefined}
        role="combobox"
        aria-label="Search jobs, errors and endpoints"
        aria-expanded={isShown}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isShown ? `${list}-${at}` : undefined}
        placeholder="Id, error or endpoint"
        spellcheck={false}
        autocomplete="off"
        value={typed}
        onFocus={() => {
          setWanted(true);
          setOpen(true);
        }}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
          setOpen(true);
        }}
        onKeyDown={pressed}
      />
      <div id={list} role="listbox" aria-label="Suggestions" class="suggestions" hidden={!isShown}>
        {suggestions.map((suggestion, index) => (
          <a
            key={suggestion.href}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            href={suggestion.href}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              go(suggestion);
            }}
          >
            {suggestion.text}
            {suggestion.about === undefined ? null : <small class="soft">{suggestion.about}</small>}
          </a>
        ))}
      </div>
    </search>
  );
}

function suggestionsOf(
  text: string,
  names: ReadonlyMap<string, string>,
  found: Found | undefined,
): readonly Suggestion[] {
  const { jobs, errors } = found?.text === text ? found : { jobs: [], errors: [] };
  const all = [...jobs, ...endpointsLike(text, names), ...errors, ...anyErrorWith(text)];
  // A whole error and its part can be the same.
  return all.filter(({ href }, index) => all.findIndex((other) => other.href === href) === index);
}

/** What the server finds once typing pauses. */
function useFound(text: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (text.length < 2) {
      setFound({ text, jobs: [], errors: [] });
      return undefined;
    }
    const gone = new AbortController();
    const { signal } = gone;
    const timer = window.setTimeout(() => {
      void Promise.all([jobsOfId(text, signal), errorsLike(text, signal)])
        .then(([jobs, errors]) => signal.aborted || setFound({ text, jobs, errors }))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
    }, PAUSE);
    return () => {
      gone.abort();
      window.clearTimeout(timer);
    };
  }, [text]);
  return found;
}

/** Whether the focus goes to something outside. */
function leaves({ currentTarget, relatedTarget }: FocusEvent): boolean {
  return !(
    currentTarget instanceof Element &&
    relatedTarget instanceof Element &&
    currentTarget.contains(relatedTarget)
  );
}
