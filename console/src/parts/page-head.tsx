import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface PageHeadProperties {
  readonly title: string;
  /** Where the page belongs to. */
  readonly from?: { readonly name: string; readonly href: string };
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a page, what stands above it, and what can be done on it. */
export function PageHead({ title, from, about, children }: PageHeadProperties) {
  useEffect(() => {
    document.title = `${title} · Forebay`;
  }, [title]);
  return (
    <header class="head">
      <div>
        {from === undefined ? null : (
          <p class="crumbs">
            <a href={from.href}>{from.name}</a>
          </p>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {about === undefined ? null : <div class="soft">{about}</div>}
      </div>
      <div class="actions">{children}</div>
    </header>
  );
}
