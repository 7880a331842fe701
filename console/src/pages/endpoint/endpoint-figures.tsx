import type { Health } from "../../answers.ts";
import { countText } from "../../parts/when.tsx";

/** How it is with an endpoint now. */
export function EndpointFigures({ health: { jobs, workers } }: { health: Health }) {
  const live = workers.running + workers.idle;
  const figures = [
    { name: "Waiting", value: countText(jobs.inQueue) },
    { name: "Running", value: countText(jobs.inProgress) },
    { name: "Completed", value: countText(jobs.completed) },
    { name: "Failed", value: countText(jobs.failed) },
    { name: "Queued again", value: countText(jobs.retried) },
    { name: "Workers", value: countText(live), more: `${workers.running} at work` },
  ];
  return (
    <dl class="tiles">
      {figures.map(({ name, value, more }) => (
        <div key={name} class="card tile">
          <dt>{name}</dt>
          <dd>
            {value} {more === undefined ? null : <small class="soft">{more}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
