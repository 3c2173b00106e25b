/** The form that enables an attack: a field for each parameter of its type, within its bounds. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { AttackEnableResult, CatalogEntry, Parameter } from '#grid/contract/attacks.ts'
import { Button, Facts, Problem } from '../frame/components.tsx'
import { type Mistake, mistakeAt } from '../frame/errors.ts'
import { Form, SelectField, TextField } from '../frame/fields.tsx'
import { useAction } from '../frame/resource.ts'
import { parameterHint, parameterLabel } from './parameter-label.ts'
import { order } from './requests.ts'

/** The attack of the form, and its place. */
export interface AttackFormProps {
  readonly attack: CatalogEntry
  /** The path of the simulation's interface, such as `/api/v1`. */
  readonly base: string
  /** The highest number of a bus; undefined without a grid. */
  readonly lastBus: number | undefined
  readonly onChange: () => void
}

/** Texts of the fields by the names of their parameters. */
type Texts = Readonly<Record<string, string>>

/** The form of one type. */
export function AttackForm({ attack, base, lastBus, onChange }: AttackFormProps): JSX.Element {
  const [texts, setTexts] = useState<Texts>({})
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([])
  const { isBusy, error, run } = useAction()
  const enable = async () => {
    setMistakes([])
    const body = { type: attack.type, params: readParams(attack, texts) }
    const result = await order<AttackEnableResult>(base, 'attack/enable', body).finally(onChange)
    setMistakes(result.mistakes ?? [])
  }
  return (
    <Form onSubmit={() => run(enable)}>
      <div class="fields">
        {Object.entries(attack.params).map(([name, parameter]) => (
          <ParameterField
            key={name}
            name={name}
            parameter={name === 'bus' ? boundBus(parameter, lastBus) : parameter}
            value={texts[name] ?? ''}
            error={mistakeAt(mistakes, `params.${name}`)}
            onValue={(text) => setTexts({ ...texts, [name]: text })}
          />
        ))}
      </div>
      <OtherMistakes attack={attack} mistakes={mistakes} />
      <Problem error={error} />
      <Facts
        facts={[
          ['Effect', attack.gridEffect],
          ['Found by', attack.expectedDetection],
        ]}
      />
      <Button type="submit" kind="primary" disabled={isBusy}>
        Enable {attack.type}
      </Button>
    </Form>
  )
}

/** The parameters that are typed; an empty field has the default of the interface. */
function readParams({ params }: CatalogEntry, texts: Texts): Readonly<Record<string, unknown>> {
  const typed = Object.entries(texts).filter(([, text]) => text.trim() !== '')
  return Object.fromEntries(typed.map(([name, text]) => [name, toValue(params[name], text)]))
}

/** Mistakes that are of no field. */
function OtherMistakes(props: Pick<AttackFormProps, 'attack'> & { readonly mistakes: readonly Mistake[] }) {
  const paths = new Set(Object.keys(props.attack.params).map((name) => `params.${name}`))
  const others = props.mistakes.filter(({ path }) => !paths.has(path))
  if (others.length === 0) return null
  return (
    <ul class="problem" role="alert">
      {others.map(({ message }) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  )
}

/** The catalogue allows the buses of the largest grid: here a bus is limited to those of this grid. */
function boundBus(parameter: Parameter, lastBus = Number.POSITIVE_INFINITY): Parameter {
  const within = (value: unknown) => Math.min(Number(value), lastBus)
  return { ...parameter, max: within(parameter.max), default: within(parameter.default) }
}

const yesOrNo = [
  ['true', 'yes'],
  ['false', 'no'],
] as const

function ParameterField(props: {
  readonly name: string
  readonly parameter: Parameter
  readonly value: string
  readonly error: string | undefined
  readonly onValue: (text: string) => void
}) {
  const { name, parameter, value, error, onValue } = props
  const { type, default: usual } = parameter
  const choices = type === 'boolean' ? yesOrNo : parameter.enum
  const field = { label: parameterLabel(name), hint: parameterHint(parameter), error, onValue }
  return choices === undefined ? (
    <TextField {...field} inputMode={type === 'number' || type === 'integer' ? 'decimal' : 'text'} value={value} />
  ) : (
    <SelectField {...field} options={choices} value={value || String(usual)} />
  )
}

/** The text of a control as the interface reads it; what is not a number goes as text, and is refused there by name. */
function toValue(parameter: Parameter | undefined, text: string): unknown {
  if (parameter?.type === 'boolean') return text === 'true'
  if (parameter?.type === 'strings') return text.split(',').map((one) => one.trim())
  const isNumber = parameter?.type === 'number' || parameter?.type === 'integer'
  return isNumber && Number.isFinite(Number(text)) ? Number(text) : text
}
