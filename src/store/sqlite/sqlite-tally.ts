/** Counts all that a database keeps: rows `endpoint`, `kind`, `count`. */
export const TALLY = `
  SELECT '' AS endpoint, kind || ' records' AS kind, count(*) AS count
  FROM record WHERE body IS NOT NULL GROUP BY kind
  UNION ALL SELECT '', 'large payloads', count(*) FROM payload WHERE file IS NOT NULL HAVING count(*) > 0
  UNION ALL SELECT '', 'bytes of large payloads', sum(size)
  FROM payload WHERE file IS NOT NULL HAVING count(*) > 0
  UNION ALL SELECT * FROM (
    SELECT endpoint, 'jobs ' || state AS kind, count(*) FROM job GROUP BY endpoint, state
    UNION ALL SELECT endpoint, 'chunks', count(*) FROM chunk JOIN job ON job.seq = chunk.job GROUP BY endpoint
    UNION ALL SELECT endpoint, 'attempts', count(*)
    FROM attempt JOIN job ON job.seq = attempt.job GROUP BY endpoint
    UNION ALL SELECT endpoint, 'idempotency keys', count(*) FROM idempotency GROUP BY endpoint
    UNION ALL SELECT endpoint, 'webhooks ' || state, count(*) FROM delivery GROUP BY endpoint, state
    UNION ALL SELECT endpoint, 'worker contacts', count(*) FROM contact GROUP BY endpoint
    UNION ALL SELECT endpoint, 'slots of statistics', count(*) FROM statistics GROUP BY endpoint
    ORDER BY endpoint, kind)`;
