import { addFigures, type Figures, figuresText, parseFigures } from "../../../domain/figures.ts";
import type { StatisticsSlot } from "../../../domain/statistics.ts";
import { array, givenRows } from "../postgres-arrays.ts";
import type { LoneStepRunner } from "../postgres-transaction.ts";

/**
 * Not locked: if an endpoint is removed before the commit, its foreign key refuses the rows, and the step is
 * repeated.
 */
const READ_QUEUES = "SELECT endpoint FROM forebay.queue WHERE endpoint = ANY($1::text[])";

const PLACES = givenRows({ endpoint: "text", width: "integer", at: "bigint" });

/** Nobody else writes the rows of this server. */
const READ = `
  SELECT endpoint, width, at::float8 AS at, figures
  FROM forebay.statistics JOIN ${PLACES.source} AS given (${PLACES.names})
    USING (endpoint, width, at)
  WHERE server = $4`;

const WRITE = `
  INSERT INTO forebay.statistics (endpoint, width, at, server, figures)
  SELECT endpoint, width, at, $4, figures
  FROM unnest($1::text[], $2::integer[], $3::bigint[], $5::text[]) AS given (endpoint, width, at, figures)
  ON CONFLICT (endpoint, width, at, server) DO UPDATE SET figures = excluded.figures`;

interface Row extends Omit<StatisticsSlot, "figures"> {
  readonly figures: string;
}

export const postgresAddStatistics: LoneStepRunner<"addStatistics"> = async (
  { server, slots },
  _now,
  _transaction,
  connection,
) => {
  const names = [...new Set(slots.map(({ endpoint }) => endpoint))];
  const found = await connection.query<{ endpoint: string }>(READ_QUEUES, [array(names)]);
  const present = new Set(found.map(({ endpoint }) => endpoint));
  const given = slots.filter(({ endpoint }) => present.has(endpoint));
  if (given.length === 0) return { count: 0 };
  const columns = [...PLACES.arrays(given), server];
  const before = new Map<string, string>();
  for (const row of await connection.query<Row>(READ, columns)) before.set(keyOf(row), row.figures);
  const texts = given.map((slot) => textOf(slot.figures, before.get(keyOf(slot))));
  await connection.query(WRITE, [...columns, array(texts)]);
  return { count: given.length };
};

function keyOf({ endpoint, width, at }: Omit<StatisticsSlot, "figures">): string {
  return `${endpoint} ${width} ${at}`;
}

function textOf(added: Figures, before: string | undefined): string {
  if (before === undefined) return figuresText(added);
  const sum = parseFigures(before);
  addFigures(sum, added);
  return figuresText(sum);
}

/** Skips what another server forgets at the same time. */
const FORGET = `
  DELETE FROM forebay.statistics WHERE (endpoint, width, at, server) IN (
    SELECT endpoint, width, at, server FROM forebay.statistics
    WHERE width = $1 AND at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  RETURNING at`;

export const postgresForgetStatistics: LoneStepRunner<"forgetStatistics"> = async (
  { width, before, limit },
  _now,
  _transaction,
  connection,
) => {
  const rows = await connection.query(FORGET, [width, before, limit]);
  return { count: rows.length };
};
