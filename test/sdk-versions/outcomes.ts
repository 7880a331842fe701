import { SDK_VERSIONS } from "./versions.ts";

/** How each case went with each version, for the table at the end. */
export class Outcomes {
  /** By case, then by version. */
  readonly #cells = new Map<string, Map<string, string>>();

  /** Runs a case and notes the sentence that it answers, or that it failed. */
  async note(name: string, version: string, body: () => Promise<string>): Promise<void> {
    this.set(name, version, "did not end");
    try {
      this.set(name, version, await body());
    } catch (error) {
      this.set(name, version, "FAIL");
      throw error;
    }
  }

  set(name: string, version: string, cell: string): void {
    const row = this.#cells.get(name) ?? new Map<string, string>();
    this.#cells.set(name, row.set(version, cell));
  }

  table(): string {
    const versions = SDK_VERSIONS.map(({ version }) => version);
    const rows = [...this.#cells].map(([name, row]) =>
      [name].concat(versions.map((version) => row.get(version) ?? "-")),
    );
    const all = [["case"].concat(versions), ...rows];
    const widths = all[0]?.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
    return all
      .map((cells) =>
        cells
          .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
          .join("  ")
          .trimEnd(),
      )
      .join("\n");
  }
}
