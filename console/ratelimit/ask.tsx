/** Ask: how a request would be decided and why, counting nothing. */

import type { JSX } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { DescriptorExplanation, Explanation } from '#ratelimit/contract/explanation.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Panel, State } from '../frame/components.tsx'
import { Field, Form } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useResource } from '../frame/resource.ts'
import { hrefWith, navigate, route } from '../frame/router.ts'
import { duration } from '../frame/time.ts'
import { Bar } from './bar.tsx'
import { CounterPicture } from './counter-picture.tsx'
import { type LimitLine, limitText, listDomains, listKeys, readLimits } from './limits.ts'
import { askHref, type Entry, entriesText } from './usage.ts'

interface Question {
  readonly domain: string
  readonly entries: readonly Entry[]
}

function readQuestion(query: URLSearchParams): Question {
  const entries = query.getAll('entry').map((text) => {
    const at = text.indexOf('=')
    return { key: at < 0 ? text : text.slice(0, at), value: at < 0 ? '' : text.slice(at + 1) }
  })
  return { domain: query.get('domain') ?? '', entries }
}

/** The separate view, with the answer beside the question. */
export function AskView(): JSX.Element {
  const limits = useResource(readLimits, 'limits')
  const question = readQuestion(route.value.query)
  const isAsked = question.domain !== '' && question.entries.length > 0
  return (
    <div class="asking">
      <Panel title="Ask">
        <AskForm lines={limits.data ?? []} />
      </Panel>
      {isAsked ? (
        <Answer question={question} />
      ) : (
        <Empty title="Ask why a request is allowed or refused">
          <p>Give its domain and the entries of one descriptor, in order. Asking counts nothing.</p>
        </Empty>
      )}
    </div>
  )
}

function domainsText(count: number): string {
  return count === 0 ? '' : count === 1 ? '1 domain has rules' : `${count} domains have rules`
}

/** The form: a domain and entries, completed from the rules that run. */
export function AskForm({ lines }: { readonly lines: readonly LimitLine[] }): JSX.Element {
  const asked = readQuestion(route.value.query)
  const [domain, setDomain] = useState(asked.domain)
  const [entries, setEntries] = useState<readonly Entry[]>(
    asked.entries.length > 0 ? asked.entries : [{ key: '', value: '' }],
  )
  const id = useId()
  const domains = listDomains(lines)
  const named = entries.filter(({ key }) => key !== '')
  const change = (at: number, part: Partial<Entry>) =>
    setEntries(entries.map((entry, index) => (index === at ? { ...entry, ...part } : entry)))
  return (
    <Form class="stack ask" onSubmit={() => navigate(askHref(domain, named))} isChecked>
      <Field label="Domain" hint={domainsText(domains.length)}>
        {(control) => (
          <input
            {...control}
            required
            value={domain}
            list={`${id}-domains`}
            autocomplete="off"
            onInput={({ currentTarget }) => setDomain(currentTarget.value)}
          />
        )}
      </Field>
      <Names id={`${id}-domains`} names={domains} />
      <Names id={`${id}-keys`} names={listKeys(lines, domain)} />
      <fieldset>
        <legend>Entries, in order</legend>
        {entries.map((entry, at) => (
          <div class="entry" key={at}>
            {(['key', 'value'] as const).map((part) => (
              <input
                key={part}
                class="mono"
                aria-label={`${part === 'key' ? 'Key' : 'Value'} of entry ${at + 1}`}
                placeholder={part}
                required={part === 'key' && at === 0}
                list={`${id}-${part}s`}
                autocomplete="off"
                value={entry[part]}
                onInput={({ currentTarget }) => change(at, { [part]: currentTarget.value })}
              />
            ))}
          </div>
        ))}
        <div class="row">
          <Button onClick={() => setEntries([...entries, { key: '', value: '' }])}>Add entry</Button>
          {entries.length > 1 ? <Button onClick={() => setEntries(entries.slice(0, -1))}>Remove last</Button> : null}
        </div>
      </fieldset>
      <Button kind="primary" type="submit">
        Ask why
      </Button>
    </Form>
  )
}

function Names({ id, names }: { readonly id: string; readonly names: readonly string[] }): JSX.Element {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

function Answer({ question }: { readonly question: Question }): JSX.Element {
  const { domain, entries } = question
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

function Ladder({ explained, domain }: { readonly explained: DescriptorExplanation; readonly domain: string }) {
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
                <span>
                  {isTaken ? 'taken' : kind === 'exact' || kind === 'bare' ? 'no such rule' : 'does not match'}
                </span>
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

function describeAnswer({ outcome, status, counter }: DescriptorExplanation, domain: string): string {
  const { currentLimit, limitRemaining, code } = status
  if (outcome === 'unknown domain') return `No rules have the domain "${domain}", so nothing limits the request.`
  if (outcome === 'no rule matches') return 'No rule matches every entry, so nothing limits the request.'
  if (outcome === 'unlimited') return 'The rule says unlimited: nothing is counted.'
  if (outcome === 'replaced') return 'Another limit of the request replaces this one.'
  if (currentLimit === undefined) return outcome
  const { requestsPerUnit, unit, algorithm } = currentLimit
  const limit = limitText({ limit: requestsPerUnit, unit, algorithm: nameAlgorithm(algorithm) })
  const isFilled = algorithm?.kind === 'token_bucket'
  const ends = isFilled ? 'The bucket has more in' : 'The window ends in'
  const reset = counter === null ? '' : ` ${ends} ${duration(counter.secondsUntilReset)}.`
  return code === 'OVER_LIMIT'
    ? `The limit of ${limit} is used up.${reset}`
    : `The limit is ${limit}; ${limitRemaining} would be left after this request.${reset}`
}

/** The text of an algorithm as `/rlconfig` writes it. */
function nameAlgorithm(algorithm: NonNullable<ExplainedLimit>['algorithm']): string {
  if (algorithm === undefined) return ''
  const { kind, seconds, burst = '', period = seconds, zone = burst, charge } = algorithm
  return `${kind} ${period}${zone === '' ? '' : ` ${zone}`}${charge === 'admitted' ? ' admitted' : ''}`
}

type ExplainedLimit = DescriptorExplanation['status']['currentLimit']

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
