/** The form that begins a bulk insertion. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Panel, Problem } from '../frame/components.tsx'
import { Field, Form } from '../frame/fields.tsx'
import { formatNumber } from '../frame/number.ts'
import { useAction } from '../frame/resource.ts'
import { navigate } from '../frame/router.ts'
import { parseLines } from './bulk-lines.ts'
import { write } from './gateway.ts'

/** Begins a job that inserts many records of one of the gateway's own streams. */
export function BulkForm({ streamId }: { readonly streamId: string }): JSX.Element {
  const [text, setText] = useState('')
  const { isBusy, error, run } = useAction()
  const parsed = parseLines(text)
  const mistake = 'mistake' in parsed ? parsed.mistake : undefined
  const count = 'mistake' in parsed ? 0 : parsed.length
  const begin = async () => {
    await write('insert_all', { batches: [{ stream_id: streamId, inputs: parsed }] })
    navigate('/console/streams/jobs')
  }
  return (
    <Panel title="Publish many records">
      <Form onSubmit={() => count > 0 && run(begin)}>
        <Field label="Records" hint="a line for each: date, value; 25 000 at most" error={mistake}>
          {(control) => (
            <textarea
              {...control}
              rows={4}
              value={text}
              placeholder={'2026-04-20, 3.45\n2026-04-21, 3.50'}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </Field>
        <div class="row">
          <Button type="submit" disabled={isBusy || count === 0}>
            Publish {formatNumber(count)} {count === 1 ? 'record' : 'records'} as a job
          </Button>
        </div>
      </Form>
      <Problem error={error} />
    </Panel>
  )
}
