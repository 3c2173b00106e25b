/** The form of one control of the development node. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button, Panel, Problem, State } from '../../frame/components.tsx'
import { Form, SelectField, TextField } from '../../frame/fields.tsx'
import { useAction } from '../../frame/resource.ts'
import { useOwnAccount } from '../gateway.ts'
import { type Control, type ControlField, findMistake, makeParams, type Values } from './controls.ts'
import { callNode, type Outcome } from './node.ts'

interface ControlFormProps {
  readonly control: Control
  readonly token: string
  readonly onDone: () => void
}

/** The form; its fields show their mistakes once it was sent. */
export function ControlForm({ control, token, onDone }: ControlFormProps): JSX.Element {
  const own = useOwnAccount()
  const [typed, setTyped] = useState<Values>({})
  const [outcome, setOutcome] = useState<string | null>(null)
  const [isTried, setTried] = useState(false)
  const { isBusy, error, run } = useAction()
  const readValue = ({ name, initial = '' }: ControlField) =>
    typed[name]?.trim() || (initial === 'own wallet' ? (own.data ?? '') : initial)
  const call = async () => {
    setTried(true)
    setOutcome(null)
    if (control.fields.some((field) => findMistake(field, readValue(field)) !== undefined)) return
    const values = Object.fromEntries(control.fields.map((field) => [field.name, readValue(field)]))
    const result = await callNode<Outcome>(token, control.method, makeParams(control, values))
    setOutcome(control.describe(result, values))
    onDone()
  }
  return (
    <Panel title={control.title}>
      <Form onSubmit={() => run(call)}>
        {control.fields.map((field) => (
          <ControlInput
            key={field.name}
            field={field}
            typed={typed[field.name] ?? ''}
            value={readValue(field)}
            isTried={isTried}
            onValue={(text) => setTyped({ ...typed, [field.name]: text })}
          />
        ))}
        <Button type="submit" disabled={isBusy}>
          {control.action}
        </Button>
        {outcome === null ? null : <State tone="good">done: {outcome}</State>}
        <Problem error={error} />
      </Form>
    </Panel>
  )
}

interface ControlInputProps {
  readonly field: ControlField
  readonly typed: string
  /** The value that is sent: the typed one, or the initial one. */
  readonly value: string
  readonly isTried: boolean
  readonly onValue: (text: string) => void
}

function ControlInput({ field, typed, value, isTried, onValue }: ControlInputProps): JSX.Element {
  const { label, hint, options } = field
  if (options !== undefined)
    return <SelectField label={label} hint={hint} options={options} value={value} onValue={onValue} />
  const mistake = isTried ? findMistake(field, value) : undefined
  return <TextField label={label} hint={hint} error={mistake} value={typed} onValue={onValue} />
}
