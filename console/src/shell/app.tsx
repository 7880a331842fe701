import { useEffect, useState } from "preact/hooks";
import type { RANKS, Session } from "../answers.ts";
import { api } from "../api.ts";
import { Guard } from "../parts/guard.tsx";
import { Icon, type IconName, Sign } from "../parts/icons.tsx";
import { may } from "../parts/may.ts";
import { type Route, useRoute } from "../parts/route.ts";
import { chooseTheme, chosenTheme, type Theme } from "../parts/theme.ts";
import { attempt, Toast } from "../parts/toast.tsx";
import { usePolled } from "../parts/use-polled.ts";
import { WarningsNote } from "../parts/warnings.tsx";
import { pageOf } from "./page-of.tsx";
import { Search } from "./search.tsx";
import { Shortcuts } from "./shortcuts.tsx";

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly scope: (typeof RANKS)[number];
}

/** The links of the navigation, if the key allows them. */
const ENTRIES: readonly Entry[] = [
  { path: "", name: "Endpoints", icon: "overview", scope: "read" },
  { path: "jobs", name: "Jobs", icon: "jobs", scope: "read" },
  { path: "run", name: "Run a request", icon: "run", scope: "write" },
  { path: "templates", name: "Templates", icon: "templates", scope: "manage" },
  { path: "keys", name: "Keys", icon: "keys", scope: "manage" },
  { path: "hosts", name: "Hosts", icon: "hosts", scope: "admin" },
  { path: "accounts", name: "Accounts", icon: "accounts", scope: "admin" },
];

/** ms. */
const EVERY = 10_000;

/** The console after the sign-in. */
export function App({ session, leave }: { session: Session; leave: () => Promise<void> }) {
  const route = useRoute();
  const place = route.parts.join("/");
  const [isHelpOpen, showHelp] = useState(false);
  // Even a page without calls notices the end of the session.
  usePolled("session", EVERY, () => api.session());
  useEffect(() => {
    const heading = document.querySelector("h1");
    // On a narrow screen, the tabs are wider than their visible part.
    const here = document.querySelector('.tabs [aria-current="page"]');
    here?.scrollIntoView({ block: "nearest", inline: "center" });
    // Screen readers announce the new page.
    if (document.activeElement === document.body || document.activeElement?.closest("a") !== null) {
      heading?.focus();
    }
  }, [place]);

  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="#/">
          <Sign />
          Forebay
        </a>
        <Search />
        <Navigation session={session} route={route} />
        <AccountMenu session={session} leave={leave} showHelp={() => showHelp(true)} />
      </header>
      <main id="main" tabIndex={-1}>
        <DiskNote />
        <WarningsNote />
        <Guard what="This page" place={place}>
          {pageOf(route, session)}
        </Guard>
      </main>
      <Shortcuts isHelpOpen={isHelpOpen} showHelp={showHelp} />
      <Toast />
    </div>
  );
}

function skipToMain(event: Event): void {
  // The address names the page.
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Navigation({ session, route }: { session: Session; route: Route }) {
  const [first = ""] = route.parts;
  const isBound = session.endpoints !== undefined;
  const shown = ENTRIES.filter(
    ({ scope }) => may(session, scope) && !(isBound && (scope === "manage" || scope === "admin")),
  );
  return (
    <nav aria-label="Console">
      {shown.map(({ path, name, icon }) => {
        const isHere = path === first || (path === "" && first === "endpoints");
        return (
          <a key={path} href={`#/${path}`} aria-current={isHere ? "page" : undefined}>
            <Icon name={icon} />
            {name}
          </a>
        );
      })}
      <a href="/docs" target="_blank" rel="noopener">
        <Icon name="docs" />
        API
      </a>
    </nav>
  );
}

interface AccountMenuProperties {
  readonly session: Session;
  readonly leave: () => Promise<void>;
  readonly showHelp: () => void;
}

function AccountMenu({ session, leave, showHelp }: AccountMenuProperties) {
  const { account, scopes, endpoints } = session;
  return (
    <div class="account">
      <p>
        <strong>{account.name}</strong>
        <small class="soft">
          key: {scopes.join(", ")}
          {endpoints === undefined ? "" : `, ${endpoints.length} endpoints`}
        </small>
      </p>
      <div class="row">
        <select
          aria-label="Colours"
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            chooseTheme(isTheme(chosen) ? chosen : "system");
          }}
        >
          {(["system", "light", "dark"] as const).map((theme) => (
            <option key={theme} value={theme} selected={theme === chosenTheme()}>
              {theme}
            </option>
          ))}
        </select>
        <button type="button" class="small keys" aria-label="Keyboard shortcuts" onClick={showHelp}>
          ?
        </button>
        <button type="button" class="small" onClick={() => void attempt(leave)}>
          Sign out
        </button>
      </div>
    </div>
  );
}

function isTheme(text: string): text is Theme {
  return text === "system" || text === "light" || text === "dark";
}

/** ms. */
const DISK_EVERY = 60_000;

const GB = 1_073_741_824;

/** A warning on every page while the server's disk is almost full. */
export function DiskNote() {
  const { value } = usePolled("ready", DISK_EVERY, (signal) => api.ready(signal));
  const disk = value?.disk;
  if (disk === undefined || disk.state === "ok") return null;
  const room = `${gb(disk.freeBytes)} of ${gb(disk.totalBytes)} GB are free.`;
  const isFull = disk.state === "full";
  return (
    <div class={`note ${isFull ? "bad" : "warn"}`} role="status">
      {isFull
        ? `The disk of the server is full. It refuses new jobs, or will do so soon. ${room}`
        : `The disk of the server is almost full. ${room}`}
    </div>
  );
}

function gb(bytes: number): string {
  return (bytes / GB).toFixed(1);
}
