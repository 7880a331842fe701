import { useCallback, useEffect, useId, useRef, useState } from "preact/hooks";
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
  const list = useId();
  const { input, typed, suggestions, at, isOpen, setOpen, type, go, move, want, enter, forget } = useSearch();
  const isShown = isOpen && suggestions.length > 0;

  return (
    <search
      class="search"
      onFocusOut={(event) => {
        if (!leaves(event)) return;
        setOpen(false);
        forget();
      }}
    >
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
        onFocus={want}
        onInput={(event) => type(event.currentTarget.value)}
        onKeyDown={(event) =>
          pressed(event, { move, enter, forget, close: isShown ? () => setOpen(false) : undefined })
        }
      />
      <Suggestions id={list} all={suggestions} at={at} isShown={isShown} go={go} />
    </search>
  );
}

/** What is typed, what it can mean, and which suggestion is chosen. */
function useSearch() {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  /** The address of the suggestion that the reader chose with the arrow keys. */
  const [chosen, setChosen] = useState<string>();
  const [isWanted, setWanted] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const text = typed.trim();
  const { suggestions, isKnown } = useSuggestions(text, isWanted);
  const place = suggestions.findIndex(({ href }) => href === chosen);
  const at = Math.max(0, place);

  function go(suggestion: Suggestion | undefined): void {
    if (suggestion === undefined) return;
    setOpen(false);
    setTyped("");
    input.current?.blur();
    goToAddress(suggestion.href);
  }
  function move(step: number): void {
    setOpen(true);
    setChosen(suggestions[(at + step + suggestions.length) % Math.max(1, suggestions.length)]?.href);
  }
  function type(value: string): void {
    setTyped(value);
    setChosen(undefined);
    setOpen(true);
  }
  function want(): void {
    setWanted(true);
    setOpen(true);
  }
  const keys = useEnter(text, isKnown || place !== -1, () => go(suggestions[at]));
  return { input, typed, suggestions, at, isOpen, setOpen, type, go, move, want, ...keys };
}

/**
 * Runs at once what Enter does if the text `isKnown`, else when it is, unless the text changes or the reader
 * turns to something else.
 */
function useEnter(text: string, isKnown: boolean, run: () => void): Pick<Keys, "enter" | "forget"> {
  const waitsFor = useRef<string | undefined>(undefined);
  useEffect(() => {
    const isAwaited = isKnown && text !== "" && waitsFor.current === text;
    if (isKnown) waitsFor.current = undefined;
    if (isAwaited) run();
  }, [isKnown, text]);
  const forget = useCallback(() => {
    waitsFor.current = undefined;
  }, []);
  useEffect(() => {
    addEventListener("hashchange", forget);
    return () => removeEventListener("hashchange", forget);
  }, [forget]);
  function enter(): void {
    if (isKnown) run();
    else waitsFor.current = text;
  }
  return { enter, forget };
}

interface Keys {
  readonly move: (step: number) => void;
  readonly enter: () => void;
  /** Takes an Enter back that still waits. */
  readonly forget: () => void;
  /** Undefined: no suggestions are shown. What is typed stays; the next Escape clears it. */
  readonly close: (() => void) | undefined;
}

function pressed(event: KeyboardEvent, { move, enter, forget, close }: Keys): void {
  if (event.key === "Escape") forget();
  const acts: Readonly<Record<string, (() => void) | undefined>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: enter,
    Escape: close,
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  act();
}

interface SuggestionsProperties {
  readonly id: string;
  readonly all: readonly Suggestion[];
  /** The chosen one. */
  readonly at: number;
  readonly isShown: boolean;
  readonly go: (suggestion: Suggestion) => void;
}

function Suggestions({ id, all, at, isShown, go }: SuggestionsProperties) {
  return (
    <div id={id} role="listbox" aria-label="Suggestions" class="suggestions" hidden={!isShown}>
      {all.map((suggestion, index) => (
        <a
          key={suggestion.href}
          id={`${id}-${index}`}
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
  );
}

/** What the text can mean, and whether the server has said all that it knows of it. */
function useSuggestions(text: string, isWanted: boolean) {
  const found = useFound(text);
  const names = useEndpointNames(isWanted);
  return {
    suggestions: text === "" ? [] : suggestionsOf(text, names, found),
    isKnown: found?.text === text,
  };
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
