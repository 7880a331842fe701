import { type ComponentChildren, Fragment } from "preact";
import { useEffect } from "preact/hooks";

/** A link to a page above. */
export interface Crumb {
  readonly name: string;
  readonly href: string;
}

interface PageHeadProperties {
  readonly title: string;
  /** The parent of the page, or the pages above it, the highest first. */
  readonly from?: Crumb | readonly Crumb[];
  readonly about?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** The title of a page, the links to the pages above, and its actions. */
export function PageHead({ title, from, about, children }: PageHeadProperties) {
  useEffect(() => {
    document.title = `${title} · Forebay`;
  }, [title]);
  return (
    <header class="head">
      <div>
        {from === undefined ? null : (
          <p class="crumbs">
            {[from].flat().map(({ name, href }, index) => (
              <Fragment key={href}>
                {index === 0 ? "" : " / "}
                <a href={href}>{name}</a>
              </Fragment>
            ))}
          </p>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {about === undefined ? null : <div class="soft">{about}</div>}
      </div>
      <div class="actions">{children}</div>
    </header>
  );
}
