/** The form that asks how a request would be decided and why, and its view; asking counts nothing. */

import type { JSX } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { counted } from '#base/naming.ts'
import { Button, Empty, Panel } from '../frame/components.tsx'
import { Field, Form } from '../frame/fields.tsx'
import { useResource } from '../frame/resource.ts'
import { navigate, route } from '../frame/router.ts'
import { Answer } from './answer.tsx'
import { type LimitLine, listDomains, listKeys, readLimits } from './limits.ts'
import { askHref, type Entry } from './usage.ts'

/** Reads the question of an address, as `askHref` writes it. */
function readQuestion(query: URLSearchParams) {
  const entries = query.getAll('entry').map((text) => {
    const at = text.indexOf('=')
    return { key: at < 0 ? text : text.slice(0, at), value: at < 0 ? '' : text.slice(at + 1) }
  })
  return { domain: query.get('domain') ?? '', entries }
}

/** The view of a question with its answer. */
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
        <Answer {...question} />
      ) : (
        <Empty title="Ask why a request is allowed or refused">
          Give its domain and the entries of one descriptor, in order. Asking counts nothing.
        </Empty>
      )}
    </div>
  )
}

function domainsText(count: number): string {
  return count === 0 ? '' : `${counted(count, 'domain')} ${count === 1 ? 'has' : 'have'} rules`
}

/** The form: a domain and entries, completed from the rules that run. */
export function AskForm({ lines }: { readonly lines: readonly LimitLine[] }): JSX.Element {
  const asked = readQuestion(route.value.query)
  const [domain, setDomain] = useState(asked.domain)
  const [entries, setEntries] = useState<readonly Entry[]>(asked.entries.length > 0 ? asked.entries : [emptyEntry])
  const address = JSON.stringify(asked)
  useEffect(() => {
    // Back and links lead to other questions.
    if (asked.entries.length === 0) return
    setDomain(asked.domain)
    setEntries(asked.entries)
  }, [address])
  const id = useId()
  const domains = listDomains(lines)
  const ask = () => navigate(askHref(domain, entries.filter(isFilled)))
  return (
    <Form class="stack ask" onSubmit={ask} isChecked>
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
      <Entries entries={entries} onEntries={setEntries} listId={`${id}-keys`} />
      <Button kind="primary" type="submit">
        Ask why
      </Button>
    </Form>
  )
}

function isFilled({ key, value }: Entry): boolean {
  return key !== '' || value !== ''
}

const emptyEntry: Entry = { key: '', value: '' }

interface EntriesProps {
  readonly entries: readonly Entry[]
  readonly onEntries: (entries: readonly Entry[]) => void
  /** Id of the list that completes keys. */
  readonly listId: string
}

function Entries({ entries, onEntries, listId }: EntriesProps): JSX.Element {
  // Entries behind the last one with text are not asked; all others need a key, because their order counts.
  const last = Math.max(0, entries.findLastIndex(isFilled))
  const change = (at: number, part: Partial<Entry>) =>
    onEntries(entries.map((entry, index) => (index === at ? { ...entry, ...part } : entry)))
  return (
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
              required={part === 'key' && at <= last}
              list={part === 'key' ? listId : undefined}
              autocomplete="off"
              value={entry[part]}
              onInput={({ currentTarget }) => change(at, { [part]: currentTarget.value })}
            />
          ))}
        </div>
      ))}
      <div class="row">
        <Button onClick={() => onEntries([...entries, emptyEntry])}>Add entry</Button>
        {entries.length > 1 ? <Button onClick={() => onEntries(entries.slice(0, -1))}>Remove last</Button> : null}
      </div>
    </fieldset>
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
