import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

interface PageHeadProperties {
  readonly title: string;
  /** The parent of the page. */
  readonly from?: { readonly name: string; readonly href: string };
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a page, the link to its parent, and its actions. */
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
