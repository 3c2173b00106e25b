/** Forms that write through the gateway: publish a record, create a stream; mistakes are shown at their fields. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Panel, Problem, State } from '../frame/components.tsx'
import { type Mistake, mistakeAt, readMistakes } from '../frame/errors.ts'
import { Form, SelectField, TextField } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { navigate } from '../frame/router.ts'
import { findRounding } from './bulk-lines.ts'
import { parseSeconds } from './dates.ts'
import { read, write } from './gateway.ts'
import { publishName } from './name-book.ts'
import { SendButton } from './send-button.tsx'

/** Publishes a record of one of the gateway's own streams. */
export function PublishForm(props: { readonly streamId: string; readonly onPublished: () => void }): JSX.Element {
  const [date, setDate] = useState('')
  const [value, setValue] = useState('')
  const [isDone, setDone] = useState(false)
  const { isBusy, error, run } = useAction()
  const mistakes = readMistakes(error)
  const rounding = findRounding(value)
  const publish = async () => {
    setDone(false)
    const when = date === '' ? String(Math.floor(Date.now() / 1000)) : parseSeconds(date)
    await write('insert_record', { stream_id: props.streamId, record: { date: when, value } })
    setDone(true)
    props.onPublished()
  }
  return (
    <Panel title="Publish a record">
      <Form class="write" onSubmit={() => run(publish)}>
        <TextField
          label="Date"
          hint="empty for now; or 2026-04-20, or Unix seconds"
          error={mistakeAt(mistakes, 'record.date')}
          value={date}
          placeholder="now"
          onValue={setDate}
        />
        <TextField
          label="Value"
          hint="a decimal with up to 18 places"
          error={rounding ?? mistakeAt(mistakes, 'record.value')}
          value={value}
          inputMode="decimal"
          onValue={setValue}
        />
        <div class="row">
          <SendButton isBusy={isBusy} disabled={rounding !== undefined}>
            Publish record
          </SendButton>
          {isDone ? <State tone="good">In a block</State> : null}
        </div>
      </Form>
      <Problem error={isShown(mistakes, ['record.date', 'record.value']) ? null : error} />
    </Panel>
  )
}

/** Tells if a form shows a mistake at one of its fields. */
function isShown(mistakes: readonly Mistake[], paths: readonly string[]): boolean {
  return mistakes.some(({ path }) => paths.includes(path))
}

/** Creates a stream, whose id is made from a name. */
export function CreateForm(): JSX.Element {
  const [name, setName] = useState('')
  const [type, setType] = useState('primitive')
  const { isBusy, error, run } = useAction()
  const mistakes = readMistakes(error)
  const create = async () => {
    const id = await read<string>('generate_stream_id', { name })
    await write('deploy_stream', { stream_id: id, stream_type: type })
    const owner = await read<string>('get_current_account')
    // A stream without its name is there all the same, and its view has the form that names it.
    await publishName({ data_provider: owner, stream_id: id }, name).catch(() => undefined)
    navigate(`/console/streams/${owner.toLowerCase()}/${id}`)
  }
  return (
    <Panel title="Create a stream">
      <Form class="write" onSubmit={() => run(create)}>
        <TextField
          label="Name"
          hint="the stream's id is made from it; the network keeps it beside the id"
          error={mistakeAt(mistakes, 'name')}
          value={name}
          placeholder="eggs of the market hall"
          onValue={setName}
        />
        <SelectField
          label="Type"
          hint="stored values, or values computed from children"
          error={mistakeAt(mistakes, 'stream_type')}
          options={['primitive', 'composed']}
          value={type}
          onValue={setType}
        />
        <SendButton isBusy={isBusy}>Create stream</SendButton>
      </Form>
      <Problem error={isShown(mistakes, ['name', 'stream_type']) ? null : error} />
    </Panel>
  )
}
