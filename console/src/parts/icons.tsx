const PATHS = {
  overview: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
  jobs: "M7 5h10M7 10h10M7 15h10M3 5h.01M3 10h.01M3 15h.01",
  copy: "M7 7h9v10H7zM13 7V3H4v10h3",
  run: "M5 3.5v13l11-6.5z",
  templates: "M10 2.5 17 6.2v7.6l-7 3.7-7-3.7V6.2zM3 6.2l7 3.8 7-3.8M10 10v7.5",
  keys: "M13 3a4 4 0 1 1-3.4 6.1L3 15.7V17h3v-2h2v-2h1.4l1.8-1.9",
  hosts: "M3 3.500h14v5H3zM3 11.500h14v5H3zM6 6h.01M6 14h.01",
  accounts:
    "M7 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM1.5 17c0-3.3 2.4-5.5 5.5-5.5s5.5 2.2 5.5 5.5M13 3.4a3 3 0 0 1 0 5.2",
  docs: "M4 2.500h8l4 4v11H4zM12 2.500v4h4M7 10h6M7 13h6",
} as const;

export type IconName = keyof typeof PATHS;

/** A small icon beside a word. Screen readers skip it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">
      <path d={PATHS[name]} stroke-linejoin="round" stroke-linecap="round" />
    </svg>
  );
}

/** The logo: water that runs into a pool. */
export function Sign() {
  return (
    <svg viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <path
        d="M7 20c3-3 6-3 9 0s6 3 9 0M7 25c3-3 6-3 9 0s6 3 9 0M11 7v7M21 7v7"
        stroke="var(--on-accent)"
        stroke-width="2.5"
        stroke-linecap="round"
      />
    </svg>
  );
}
