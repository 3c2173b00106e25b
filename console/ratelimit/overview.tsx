/** The present decisions: their strip, the fullest rules, the refused keys, and Ask beside them. */

import type { JSX } from 'preact'
import type { Usage } from '#ratelimit/contract/usage.ts'
import { Chart } from '../frame/chart.tsx'
import { Panel, Problem, Skeleton, State, type Tone } from '../frame/components.tsx'
import { Choice, Toggles } from '../frame/fields.tsx'
import { formatNumber } from '../frame/number.ts'
import { useResource } from '../frame/resource.ts'
import { hrefWith, route, setQuery } from '../frame/router.ts'
import { useNames } from '../frame/search-index.ts'
import { AskForm } from './ask.tsx'
import { Feed } from './feed.tsx'
import { gateDomain, gateRequests, shownTop, shownUsage } from './gate.ts'
import { Keys } from './keys.tsx'
import { type LimitLine, listDomains, readLimits } from './limits.ts'
import { listNames } from './names.ts'
import { computeRates, type DecisionSums, sumDecisions } from './rates.ts'
import { RulesInForce } from './rule-table.tsx'
import { readTop, readUsage, type Span, spans } from './usage.ts'

/** The first view of the room. */
export function Overview(): JSX.Element {
  const { query } = route.value
  const span = spans.find(({ name }) => name === query.get('span')) ?? spans[1]
  const domain = query.get('domain')
  const { usage, top, limits, failure, reload } = useOverview({ span, domain })
  const lines = limits ?? []
  useNames('ratelimit', listNames(lines, top))
  return (
    <>
      <Problem error={failure} onRetry={reload} />
      <Choices span={span} domain={domain} lines={lines} />
      {usage === undefined && failure === undefined ? <Skeleton rows={7} /> : null}
      {usage === undefined ? null : <Strip usage={usage} span={span} domain={domain} />}
      <div class="beside">
        <div class="stack">
          {failure !== undefined && (usage === undefined || limits === undefined) ? null : (
            <RulesInForce lines={limits?.filter((line) => (domain ?? line.domain) === line.domain)} usage={usage} />
          )}
          <div class="columns">
            {failure !== undefined && top === undefined ? null : <Keys top={top && shownTop(top, domain)} />}
            <Feed domain={domain} />
          </div>
        </div>
        <Panel title="Ask">
          <AskForm lines={lines} />
        </Panel>
      </div>
    </>
  )
}

interface Chosen {
  readonly span: Span
  readonly domain: string | null
}

/** Keeps known what the view shows: the usage and the top keys of a time and a domain, and every limit. */
function useOverview({ span, domain }: Chosen) {
  const key = `${span.name} ${domain ?? ''}`
  const usage = useResource((signal) => readUsage(span, domain, signal), key, span.everyMs)
  const top = useResource((signal) => readTop(span, domain, signal), key, 5_000)
  const limits = useResource(readLimits, 'limits', 15_000)
  const reload = () => {
    for (const one of [usage, limits, top]) one.reload()
  }
  const failure = usage.error ?? limits.error ?? top.error
  return { usage: usage.data, top: top.data, limits: limits.data, failure, reload }
}

function Choices({ span, domain, lines }: Chosen & { readonly lines: readonly LimitLine[] }): JSX.Element {
  return (
    <div class="row choices">
      <fieldset class="segments" aria-label="Time">
        <Toggles
          options={spans.map(({ name, label }) => [name, label])}
          value={span.name}
          onValue={(name) => setQuery({ span: name })}
        />
      </fieldset>
      <Choice
        label="Domain"
        options={[['', 'all'], ...listDomains(lines)]}
        value={domain ?? ''}
        onValue={(name) => setQuery({ domain: name || null })}
      />
    </div>
  )
}

function Strip({ usage: all, span, domain }: Chosen & { readonly usage: Usage }): JSX.Element {
  const usage = shownUsage(all, domain)
  const rates = computeRates(usage, '')
  const unknown =
    rates.unknownUntil === null
      ? []
      : [{ from: usage.from, to: rates.unknownUntil, label: 'nothing is known of this time' }]
  return (
    <section aria-label={`Decisions of the last ${span.label}`}>
      <Figures sums={sumDecisions(usage, '')} />
      <Chart
        title={`Decisions per second, last ${span.label}`}
        x={rates.x}
        kind="stack"
        step={usage.step}
        unit=" /s"
        height={150}
        gaps={unknown}
        series={[
          { label: 'allowed', values: rates.admitted, tone: 'muted' },
          { label: 'shadow', values: rates.shadow, tone: 'attention' },
          { label: 'refused', values: rates.refused, tone: 'bad' },
        ]}
      />
      {domain === null ? <GateNote requests={gateRequests(all)} /> : null}
    </section>
  )
}

function Figures({ sums }: { readonly sums: DecisionSums }): JSX.Element {
  const requests = sums.admitted + sums.refused + sums.shadow
  // The tone is for a count above 0.
  const figures: readonly (readonly [label: string, count: number, tone?: Tone])[] = [
    ['requests', requests],
    ['allowed', sums.admitted],
    ['refused', sums.refused, 'bad'],
    ['shadow', sums.shadow, 'attention'],
  ]
  return (
    <dl class="figures">
      {figures.map(([label, count, tone]) => (
        <div key={label}>
          <dt>{tone !== undefined && count > 0 ? <State tone={tone}>{label}</State> : label}</dt>
          <dd>
            {formatNumber(count)}
            {label === 'refused' && requests > 0 ? <small> {((count / requests) * 100).toFixed(1)} %</small> : null}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The count of requests that the figures leave out, with the way to them. */
function GateNote({ requests }: { readonly requests: number }): JSX.Element | null {
  if (requests === 0) return null
  return (
    <p class="quiet">
      Without {formatNumber(requests)} {requests === 1 ? 'request' : 'requests'} to the services themselves, this page’s
      among them. <a href={hrefWith({ domain: gateDomain })}>Show what their gate decided</a>
    </p>
  )
}
