import process from "node:process";
import { checkedHandler } from "./checked-handler.ts";
import { readEnvironment } from "./environment.ts";
import { ExchangeProtocol } from "./exchange/exchange-protocol.ts";
import { checkOptions, passFitnessChecks, type StartOptions } from "./options.ts";
import { ALWAYS_OPEN } from "./gate.ts";
import type { Handler } from "./handler.ts";
import { readArguments } from "./local/arguments.ts";
import { runLocally } from "./local/run-locally.ts";
import { openLog, readLogLevel } from "./log.ts";
import type { Protocol } from "./protocol.ts";
import { PublicProtocol } from "./public/public-protocol.ts";
import { Slots } from "./slots.ts";
import { obeySignals } from "./stop-signals.ts";

/**
 * Takes jobs from the server that the environment names and runs them, until SIGTERM or SIGINT. Then it takes
 * no more, and resolves when those that run have ended and their results are stored; a second signal stops
 * them. While the server is away the worker keeps its results, and tries again. Rejects with a sentence when
 * the options or the environment are wrong, when a fitness check fails, or when the server does not know the
 * worker's token.
 *
 * With `--test_input '<json>'`, or without a server but with a file test_input.json, it runs just that job,
 * and sets the exit code; with `--rp_serve_api` it takes jobs from an HTTP server of its own.
 */
export async function start<Input = Record<string, unknown>, Output = unknown>(
  options: StartOptions<Input, Output>,
): Promise<void> {
  checkOptions(options);
  const { concurrency = 1, concurrency_modifier: modifier, fitness_checks: checks = [] } = options;
  const { gate = ALWAYS_OPEN } = options;
  const log = openLog(readLogLevel(process.env["FOREBAY_LOG_LEVEL"], options.log_level));
  const { input, output } = options;
  const runner = {
    // The handler says itself what input it takes; the server passes on what clients submit.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    handler: checkedHandler(options.handler as Handler, { input, output }),
    aggregates: options.return_aggregate_stream ?? false,
    refreshes: options.refresh_worker ?? false,
    log,
  };
  const local = readArguments(process.argv.slice(2), process.env);
  if (local !== undefined) {
    await runLocally(local, concurrency, runner);
    return;
  }
  const environment = readEnvironment(process.env, options.protocol);
  await passFitnessChecks(checks);
  const { workerId } = environment;
  const slots = new Slots(concurrency, modifier, log);
  const protocol: Protocol =
    environment.protocol === "exchange"
      ? new ExchangeProtocol(environment, { slots, gate }, { ...runner, workerId })
      : new PublicProtocol(environment, { slots, gate }, { ...runner, workerId });
  const stopListening = obeySignals(protocol, log);
  log.info(`${workerId} takes jobs, ${concurrency} at a time`);
  try {
    await protocol.run();
  } finally {
    stopListening();
  }
}
