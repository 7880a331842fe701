/** Flags with which all deadlines pass within a few rounds; no record of a job goes before the end. */
export const SHORT_DURATIONS = {
  "ping-interval-ms": "200",
  "delivery-lease-ms": "800",
  "worker-lease-ms": "1000",
  "rehand-delay-ms": "500",
  "take-hold-ms": "1000",
  "stop-hold-ms": "300",
  "stream-hold-ms": "100",
  "sweep-interval-ms": "50",
  "run-retention-ms": "3600000",
  "runsync-retention-ms": "3600000",
  "drain-grace-ms": "1000",
  "webhook-allow": "127.0.0.0/8",
  "webhook-pause-ms": "200",
  "webhook-interval-ms": "50",
};
