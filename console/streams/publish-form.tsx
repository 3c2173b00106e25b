/** Forms that write through the gateway: publish a record, create a stream; mistakes are shown at their fields. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ConsoleError } from '../frame/errors.ts'
import { Button, Field, Panel, Problem, State } from '../frame/pieces.tsx'
import { failureFrom } from '../frame/resource.ts'
import { navigate } from '../frame/router.ts'
import { isAtFields, mistakeAt, read, write } from './gateway.ts'

const recordFields = ['stream_id', 'record.date', 'record.value']

/** Publishes a record of one of the gateway's own streams. */
export function PublishForm(props: {
  readonly streamId: string
  readonly onPublished: () => void
}): JSX.Element {
  const [date, setDate] = useState('')
  const [value, setValue] = useState('')
  const [state, setState] = useState<'ready' | 'busy' | 'done'>('ready')
  const [error, setError] = useState<ConsoleError | null>(null)
  const publish = async () => {
    setState('busy')
    setError(null)
    const when = date === '' ? String(Math.floor(Date.now() / 1000)) : secondsOf(date)
    try {
      await write('insert_record', { stream_id: props.streamId, record: { date: when, value } })
      setState('done')
      props.onPublished()
    } catch (failure) {
      setState('ready')
      setError(failureFrom(failure))
    }
  }
  return (
    <Panel title="Publish a record">
      <form
        class="write"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void publish()
        }}
      >
        <Field
          label="Date"
          hint="empty for now; or 2026-04-20, or Unix seconds"
          error={mistakeAt(error, 'record.date')}
        >
          {(control) => (
            <input
              {...control}
              value={date}
              placeholder="now"
              onInput={({ currentTarget }) => setDate(currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Value" hint="a decimal with up to 18 places" error={mistakeAt(error, 'record.value')}>
          {(control) => (
            <input
              {...control}
              value={value}
              inputMode="decimal"
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <Button type="submit" kind="primary" disabled={state === 'busy'}>
            {state === 'busy' ? 'Waiting for the block' : 'Publish record'}
          </Button>
          {state === 'done' ? <State tone="good">In a block</State> : null}
        </div>
      </form>
      {error === null || isAtFields(error, recordFields) ? null : <Problem error={error} />}
    </Panel>
  )
}

/** A day as the seconds of its beginning in UTC; other text goes as it is, and is refused at its field. */
function secondsOf(text: string): string {
  const ms = /^\d{4}-\d\d-\d\d/.test(text)
    ? Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text)
    : Number.NaN
  return Number.isNaN(ms) ? text : String(Math.floor(ms / 1000))
}

/** Creates a stream, whose id is made from a name. */
export function CreateForm(): JSX.Element {
  const [name, setName] = useState('')
  const [type, setType] = useState('primitive')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<ConsoleError | null>(null)
  const create = async () => {
    setBusy(true)
    setError(null)
    try {
      const id = await read<string>('generate_stream_id', { name })
      await write('deploy_stream', { stream_id: id, stream_type: type })
      const owner = await read<string>('get_current_account')
      navigate(`/console/streams/${owner.toLowerCase()}/${id}`)
    } catch (failure) {
      setError(failureFrom(failure))
    }
    setBusy(false)
  }
  return (
    <Panel title="Create a stream">
      <form
        class="write"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void create()
        }}
      >
        <Field label="Name" hint="the stream's id is made from it" error={mistakeAt(error, 'name')}>
          {(control) => (
            <input
              {...control}
              value={name}
              placeholder="eggs of the market hall"
              onInput={({ currentTarget }) => setName(currentTarget.value)}
            />
          )}
        </Field>
        <Field
          label="Type"
          hint="stored values, or values computed from children"
          error={mistakeAt(error, 'stream_type')}
        >
          {(control) => (
            <select {...control} value={type} onChange={({ currentTarget }) => setType(currentTarget.value)}>
              <option>primitive</option>
              <option>composed</option>
            </select>
          )}
        </Field>
        <Button type="submit" kind="primary" disabled={isBusy}>
          {isBusy ? 'Waiting for the block' : 'Create stream'}
        </Button>
      </form>
      {error === null || isAtFields(error, ['name', 'stream_type']) ? null : <Problem error={error} />}
    </Panel>
  )
}
