import { Component, type ComponentChildren } from "preact";

interface GuardProperties {
  /** What cannot be shown if something inside throws, like "The readme". */
  readonly what: string;
  /** Where a person is: elsewhere it tries again. */
  readonly place?: string;
  readonly children: ComponentChildren;
}

interface GuardState {
  readonly fault: { readonly error: unknown } | undefined;
}

/**
 * Holds an error of what it draws: a short message stands in its place, and the rest of the page works. It is
 * around each panel, because much of what a panel draws was written by others.
 */
export class Guard extends Component<GuardProperties, GuardState> {
  override state: GuardState = { fault: undefined };

  static override getDerivedStateFromError(error: unknown): GuardState {
    return { fault: { error } };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override componentDidUpdate({ place }: GuardProperties): void {
    if (place !== this.props.place) this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.state.fault !== undefined) this.setState({ fault: undefined });
  }

  override render() {
    const { what, children } = this.props;
    if (this.state.fault === undefined) return children;
    return (
      <div class="note bad" role="alert">
        <span>{what} cannot be shown.</span>
        <button type="button" class="small" onClick={() => this.#tryAgain()}>
          Try again
        </button>
      </div>
    );
  }
}
