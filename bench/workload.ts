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
  /** Minutes that the full measurement takes, about. */
  readonly minutes: number;
  readonly columns: readonly Column[];
  /** The column of the chart. */
  readonly chart?: string;
  readonly goals: readonly Goal[];
  cases(scale: Scale): Promise<readonly Case[]>;
  /** Ends what the cases share over all rounds. */
  end?(): Promise<void>;
}

/** How much to measure. */
export interface Scale {
  /** Checks that everything runs; its figures mean nothing. */
  readonly isQuick: boolean;
  /** Jobs before each measurement. */
  readonly warmUp: number;
  readonly jobs: number;
  /** A directory with the source of waverless. */
  readonly waverless: string | undefined;
  /** The SQL file of pgmq. */
  readonly pgmq: string | undefined;
}

/** The middle of the values, the lower one of two. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1] ?? Number.NaN;
}

/** One number for each round in which a row has the figure. */
export function figuresOf(rounds: readonly Round[], row: string, key: string): number[] {
  return rounds.flatMap((round) => round.get(row)?.[key] ?? []);
}

/**
 * A goal for the ratio of two rows in the same round. Of several rows to compare with, the one with the best
 * median counts: the highest rate.
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
    values(rounds) {
      const best = bestRow(rounds, against);
      return rounds.flatMap((round) => {
        const [of, by] = [round.get(row)?.[key], round.get(best)?.[key]];
        return of === undefined || by === undefined ? [] : of / by;
      });
    },
  };
}

/** A goal for one figure of one row. */
export function figureGoal(given: Omit<Goal, "values"> & { row: string; key: string }): Goal {
  const { row, key, ...goal } = given;
  return { ...goal, values: (rounds) => figuresOf(rounds, row, key) };
}

function bestRow(rounds: readonly Round[], isPeer: (row: string) => boolean): string {
  const names = [...new Set(rounds.flatMap((round) => [...round.keys()]))].filter(isPeer);
  const rate = (name: string): number => median(figuresOf(rounds, name, "rate"));
  return names.reduce((a, b) => (rate(b) > rate(a) ? b : a), names[0] ?? "");
}
