/** The figures of one measurement, by the keys of the columns. */
export type Figures = Readonly<Record<string, number>>;

/** One line of a table. */
export interface Row {
  readonly name: string;
  readonly figures: Figures;
}

export interface Column {
  readonly key: string;
  /** With the unit. */
  readonly title: string;
  readonly digits: number;
}

/** One thing to measure; a measurement returns one row or several. */
export interface Case {
  readonly name: string;
  /** Another queue or the bare runtime: it is the same beside every build of Forebay. */
  readonly isPeer?: boolean;
  /** The peer of which this is one setting. Only the setting that is best in the first round goes on. */
  readonly settingOf?: string;
  /** Why it cannot be measured, if so. Builds what it requires. */
  readonly missing?: () => string | undefined;
  measure(): Promise<readonly Row[]>;
}

/** The rows of one round, by name. */
export type Round = ReadonlyMap<string, Figures>;

export type Bound = { readonly least: number } | { readonly most: number };

/** A figure that must hold, such as a ratio of two rows. */
export interface Goal {
  readonly what: string;
  /** Without it the figure is only reported. */
  readonly must?: Bound;
  /** What we want in the long run. */
  readonly aim?: Bound;
  readonly digits: number;
  /** Whether it lacks something without the case of this name. */
  requires(name: string): boolean;
  /** One value for each round that has all rows for it. */
  values(rounds: readonly Round[]): number[];
}

/** What is measured together, in turns. */
export interface Workload {
  /** Its name on the command line. */
  readonly id: string;
  readonly title: string;
  /** How it measures, for the report. */
  readonly about: string;
  /** Rounds, unless the user asks for more or fewer: less where figures hardly differ from round to round. */
  readonly rounds: number;
  /** Minutes that these rounds take, about. */
  readonly minutes: number;
  /** Runs only when it is named. */
  readonly isExtra?: boolean;
  readonly columns: readonly Column[];
  /** The column of the chart. */
  readonly chart?: string;
  readonly goals: readonly Goal[];
  cases(scale: Scale): Promise<readonly Case[]>;
  /** Ends what the cases share over all rounds. */
  end?(): Promise<void>;
}

/** What to measure, and how much of it. */
export interface Scale {
  /** The directory of the Forebay to measure. */
  readonly build: string;
  /** Checks that everything runs; its figures mean nothing. */
  readonly isQuick: boolean;
  /** Jobs before each measurement. */
  readonly warmUp: number;
  readonly jobs: number;
  /** Where git fetches waverless from: an address or a directory. */
  readonly waverless: string | undefined;
  /** The same for pgmq. */
  readonly pgmq: string | undefined;
}

/** The middle of the values, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** The names of all rows. */
export function rowsOf(rounds: readonly Round[]): string[] {
  return [...new Set(rounds.flatMap((round) => [...round.keys()]))];
}

/** One number for each round in which a row has the figure. */
export function figuresOf(rounds: readonly Round[], row: string, key: string): number[] {
  return rounds.flatMap((round) => round.get(row)?.[key] ?? []);
}

/**
 * A goal for the ratio of two rows in the same round. Of several rows to compare with, those with the most
 * rounds count, and of these the one with the best median: the highest rate.
 */
export function ratioGoal(given: {
  readonly what: string;
  readonly row: string;
  readonly key: string;
  /** Rows to compare with. */
  readonly against: (row: string) => boolean;
  readonly must?: Bound;
  readonly aim?: Bound;
}): Goal {
  const { row, key, against, ...goal } = given;
  return {
    ...goal,
    digits: 2,
    requires: (name) => name === row || against(name),
    values(rounds) {
      const best = bestRow(rounds, against);
      return rounds.flatMap((round) => {
        const [of, by] = [round.get(row)?.[key], round.get(best)?.[key]];
        return of === undefined || by === undefined ? [] : of / by;
      });
    },
  };
}

/** A goal for one figure of one row. `of` is the case that measures the row, if it has another name. */
export function figureGoal(
  given: Omit<Goal, "values" | "requires"> & {
    readonly row: string;
    readonly key: string;
    readonly of?: string;
  },
): Goal {
  const { row, key, of = row, ...goal } = given;
  return {
    ...goal,
    requires: (name) => name === of,
    values: (rounds) => figuresOf(rounds, row, key),
  };
}

function bestRow(rounds: readonly Round[], isPeer: (row: string) => boolean): string {
  const names = rowsOf(rounds).filter(isPeer);
  const count = (name: string): number => figuresOf(rounds, name, "rate").length;
  const most = Math.max(...names.map(count));
  const best = names
    .filter((name) => count(name) === most)
    .toSorted((a, b) => median(figuresOf(rounds, b, "rate")) - median(figuresOf(rounds, a, "rate")));
  return best[0] ?? "";
}
