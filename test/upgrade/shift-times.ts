/**
 * Moves every instant in a database by so many ms: servers go by the clock of the database, which a test
 * cannot set.
 */
export const SHIFT_TIMES = (by: number): string => `
  SET session_replication_role = replica;
  DO $$
  DECLARE found record;
  BEGIN
    FOR found IN
      SELECT table_name, string_agg(format(
        '%1$I = CASE WHEN %1$I > 1600000000000 THEN %1$I + ${by} ELSE %1$I END', column_name), ', ')
        AS changes
      FROM information_schema.columns
      WHERE table_schema = 'forebay' AND data_type = 'bigint' GROUP BY table_name
    LOOP
      EXECUTE format('UPDATE forebay.%I SET %s', found.table_name, found.changes);
    END LOOP;
  END $$`;
