/** The list of bulk insertions, each with its progress, its rate and the time that is left. */

import type { JSX } from 'preact'
import type { JobStatus } from '#gateway/contract/jobs.ts'
import { Button, Empty, Problem, State, type Tone } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { formatNumber } from '../frame/number.ts'
import { useAction } from '../frame/resource.ts'
import { dateTime, duration, now } from '../frame/time.ts'
import { remove, useRead, write } from './gateway.ts'

/** The newest jobs that the token may see. */
export function Jobs(): JSX.Element {
  const jobs = useRead<readonly JobStatus[]>('jobs', {}, 1_000)
  return (
    <Loaded of={jobs} rows={6}>
      {(data) =>
        data.length === 0 ? (
          <Empty title="No bulk insertions">
            The view of an own stream has a form that publishes many records as a job.
          </Empty>
        ) : (
          <ul class="stack" aria-label="Bulk insertions">
            {data.map((job) => (
              <li key={job.job_id}>
                <Job job={job} onChanged={jobs.reload} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  )
}

const tones: Readonly<Record<JobStatus['phase'], Tone>> = {
  queued: 'normal',
  running: 'normal',
  done: 'good',
  failed: 'bad',
  cancelled: 'attention',
}

function Job({ job, onChanged }: { readonly job: JobStatus; readonly onChanged: () => void }): JSX.Element {
  const { job_id: id, phase, rows_done: done, rows_total: total, created_at, created_by, problem } = job
  const { isBusy, error, run } = useAction()
  const act = (what: () => Promise<unknown>) => run(() => what().then(onChanged))
  const isOpen = phase === 'queued' || phase === 'running'
  return (
    <div class="job">
      <div class="row">
        <State tone={tones[phase]}>{phase}</State>
        <span class="grow">
          {formatNumber(done)} of {formatNumber(total)} records{describePace(job)}
        </span>
        {isOpen ? (
          <Button disabled={isBusy} label={`Cancel job ${id}`} onClick={() => act(() => remove(`jobs/${id}`))}>
            Cancel
          </Button>
        ) : null}
        {phase === 'failed' ? (
          <Button
            disabled={isBusy}
            label={`Resume job ${id}`}
            onClick={() => act(() => write(`jobs/${id}/resume`, {}))}
          >
            Resume
          </Button>
        ) : null}
      </div>
      <progress max={total} value={done} aria-label={`Progress of job ${id}`} />
      <p class="quiet">
        Begun {dateTime(created_at)} by {created_by}, <span class="mono">{id}</span>
      </p>
      {problem === null ? null : <p class="problem">{problem.message}</p>}
      <Problem error={error} />
    </div>
  )
}

/** The rate of a job, and the time that is left or that it took. */
function describePace({ phase, rows_done: done, started_at, ended_at, eta_sec: left, retry_at }: JobStatus): string {
  if (started_at === null) return ''
  const seconds = Math.max(1, ((ended_at ?? now.value) - started_at) / 1000)
  const rate = `, ${formatNumber(done / seconds)} a second`
  if (retry_at !== null) return `${rate}, tries again at ${dateTime(retry_at)}`
  if (phase === 'running') return `${rate}, ${duration(left)} left`
  return `${rate}, took ${duration(seconds)}`
}
