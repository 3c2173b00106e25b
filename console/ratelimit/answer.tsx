/** The answer to a question of Ask: the decision in words, its counter, and the rules that were tried at each level. */

import type { JSX } from 'preact'
import type { DescriptorExplanation, Explanation, Trial } from '#ratelimit/contract/explanation.ts'
import { ask } from '../frame/api.ts'
import { State } from '../frame/components.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useResource } from '../frame/resource.ts'
import { hrefWith } from '../frame/router.ts'
import { duration } from '../frame/time.ts'
import { nameAlgorithm } from './algorithm-shape.ts'
import { Bar } from './bar.tsx'
import { CounterPicture } from './counter-picture.tsx'
import { limitText } from './limit-text.ts'
import { type Entry, entriesText } from './usage.ts'

/** The answer to a domain and the entries of a descriptor, asked for again every two seconds. */
export function Answer(props: { readonly domain: string; readonly entries: readonly Entry[] }): JSX.Element {
  const { domain, entries } = props
  const body = { domain, descriptors: [{ entries }] }
  const answer = useResource<Explanation>(
    (signal) => ask('ratelimit', '/ratelimit/explain', { method: 'POST', body, signal }),
    JSON.stringify(body),
    2_000,
  )
  return (
    <div class="stack">
      <Loaded of={answer} rows={8}>
        {({ descriptors }) =>
          descriptors.map((explained) => (
            <Ladder key={entriesText(explained.descriptor.entries)} explained={explained} domain={domain} />
          ))
        }
      </Loaded>
    </div>
  )
}

/** The decision about a descriptor, and the rules that each of its entries was compared with. */
function Ladder(props: { readonly explained: DescriptorExplanation; readonly domain: string }): JSX.Element {
  const { explained, domain } = props
  const { levels, rule, status } = explained
  const isOver = status.code === 'OVER_LIMIT'
  return (
    <section class="answer" aria-label="Answer">
      <h2>
        <State tone={isOver ? 'bad' : 'normal'}>{isOver ? 'Refused' : 'Allowed'}</State>
      </h2>
      <p>{describeAnswer(explained, domain)}</p>
      <CounterLine {...explained} />
      {levels.map(({ entry, trials }) => (
        <div class="members" key={`${entry.key}=${entry.value}`}>
          <h3 class="mono">
            {entry.key}={entry.value}
          </h3>
          <ol class="ladder">
            {trials.map(({ kind, pattern, isTaken }) => (
              <li key={kind + pattern} class={isTaken ? 'taken' : ''}>
                <span>{kind === 'bare' ? 'default' : kind}</span>
                <span class="mono">{pattern}</span>
                <span>{describeTrial(kind, isTaken)}</span>
              </li>
            ))}
          </ol>
        </div>
      ))}
      {rule === null ? null : (
        <p class="quiet">
          Rule <span class="mono">{rule}</span>
        </p>
      )}
    </section>
  )
}

function describeTrial(kind: Trial['kind'], isTaken: boolean): string {
  if (isTaken) return 'taken'
  return kind === 'exact' || kind === 'bare' ? 'no such rule' : 'does not match'
}

/** The sentence before the time until a counter resets, where it has no window. */
const ends: Readonly<Record<string, string>> = {
  token_bucket: 'The bucket has more in',
  concurrency: 'A place is free within',
}

function describeAnswer({ outcome, status, counter }: DescriptorExplanation, domain: string): string {
  const { currentLimit, limitRemaining, code } = status
  if (outcome === 'unknown domain') return `No rules have the domain "${domain}", so nothing limits the request.`
  if (outcome === 'no rule matches') return 'No rule matches every entry, so nothing limits the request.'
  if (outcome === 'unlimited') return 'The rule says unlimited: nothing is counted.'
  if (outcome === 'replaced') return 'Another limit of the request replaces this one.'
  if (currentLimit === undefined) return outcome
  const { requestsPerUnit, unit, algorithm } = currentLimit
  const limit = limitText({ limit: requestsPerUnit, unit, algorithm: nameAlgorithm(algorithm) })
  const end = ends[algorithm?.kind ?? ''] ?? 'The window ends in'
  const reset = counter === null ? '' : ` ${end} ${duration(counter.secondsUntilReset)}.`
  return code === 'OVER_LIMIT'
    ? `The limit of ${limit} is used up.${reset}`
    : `The limit is ${limit}; ${limitRemaining} would be left after this request.${reset}`
}

function CounterLine({ counter, status }: DescriptorExplanation): JSX.Element | null {
  const { currentLimit } = status.limits?.[0] ?? status
  if (counter === null || currentLimit === undefined) return null
  const limit = currentLimit.algorithm?.burst ?? currentLimit.requestsPerUnit
  return (
    <div class="stack">
      <p class="row">
        <Bar full={limit === 0 ? 1 : counter.hits / limit}>
          {counter.hits}
          <small>/{limit} used</small>
        </Bar>
        <a href={hrefWith({ key: counter.key })} data-part>
          Open the counter
        </a>
      </p>
      <CounterPicture
        algorithm={nameAlgorithm(currentLimit.algorithm)}
        hits={counter.hits}
        limit={currentLimit.requestsPerUnit}
        secondsUntilReset={counter.secondsUntilReset}
      />
    </div>
  )
}
