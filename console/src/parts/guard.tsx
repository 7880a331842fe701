import { Component, type ComponentChildren } from "preact";

interface GuardProperties {
  /** What could not be shown, such as "The readme". */
  readonly what: string;
  /** The current address: after a change, it tries again. */
  readonly place?: string;
  readonly children: ComponentChildren;
}

interface GuardState {
  readonly fault: { readonly error: unknown } | undefined;
}

/**
 * Catches errors of the part that it contains. A short message replaces that part, and the rest of the page
 * works. Each panel has one, because much of what panels show was written by others.
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
