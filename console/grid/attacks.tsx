/** Attacks: those that are on, the catalogue, and a form made from the bounds of each type. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ActiveAttack, AttackEnableResult, Catalog, CatalogEntry, Parameter } from '#grid/contract/attacks.ts'
import { Button, Empty, Facts, Problem, State } from '../frame/components.tsx'
import { type Mistake, mistakeAt } from '../frame/errors.ts'
import { Form, SelectField, TextField } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { duration } from '../frame/time.ts'
import { parameterHint, parameterLabel } from './parameter-label.ts'
import { order } from './requests.ts'

interface AttacksProps {
  /** The path of the simulation's interface, such as `/api/v1`. */
  readonly base: string
  /** The highest number of a bus; undefined without a grid. */
  readonly lastBus: number | undefined
  /** Undefined while they are not known. */
  readonly active: readonly ActiveAttack[] | undefined
  /** Simulated Unix seconds. */
  readonly at: number
  readonly onChange: () => void
}

/** The panel. */
export function Attacks({ base, lastBus, active, at, onChange }: AttacksProps): JSX.Element {
  const catalogue = useAnswer<Catalog>('grid', `${base}/attacks/catalog`)
  const [type, setType] = useState('FDI_STEALTH')
  const { error, run } = useAction()
  const end = (body: object) => run(() => order(base, 'attack/disable', body).finally(onChange))
  return (
    <div class="stack">
      <section class="stack" aria-label="Attacks that are on">
        {active === undefined ? null : active.length === 0 ? (
          <Empty title="No attack is on">
            <p>Choose one below; its effect shows in the diagram as the gap between estimate and truth.</p>
          </Empty>
        ) : (
          active.map((attack) => <Active key={attack.attack_id} attack={attack} at={at} onEnd={end} />)
        )}
        {active !== undefined && active.length > 1 ? <Button onClick={() => end({})}>End all attacks</Button> : null}
      </section>
      <Problem error={error} />
      <Loaded of={catalogue}>
        {({ attacks }) => {
          const chosen = attacks.find((one) => one.type === type)
          return chosen === undefined ? null : (
            <>
              <SelectField
                label="Attack"
                hint={`${chosen.type}: ${chosen.frameEffect}`}
                options={attacks.map((one) => [one.type, one.name])}
                value={type}
                onValue={setType}
              />
              <AttackForm key={type} attack={chosen} base={base} lastBus={lastBus} onChange={onChange} />
            </>
          )
        }}
      </Loaded>
    </div>
  )
}

function Active(props: { readonly attack: ActiveAttack; readonly at: number; readonly onEnd: (body: object) => void }) {
  const { attack_id, type, stats, since, params } = props.attack
  const shown = Object.entries(params).map(([name, value]) => `${parameterLabel(name)} ${String(value)}`)
  return (
    <article class="active-attack">
      <div>
        <State tone="attention">
          <strong>{type}</strong>
        </State>{' '}
        <span class="quiet">for {duration(props.at - since)}</span>
        <p class="quiet">{shown.join(', ')}</p>
        <p>
          {stats.total_packets} messages seen, {stats.modified_packets} changed, {stats.dropped_packets} dropped
        </p>
      </div>
      <Button kind="danger" onClick={() => props.onEnd({ attack_id })} label={`End ${type}`}>
        End
      </Button>
    </article>
  )
}

type AttackFormProps = Pick<AttacksProps, 'base' | 'lastBus' | 'onChange'> & { readonly attack: CatalogEntry }

function AttackForm({ attack, base, lastBus, onChange }: AttackFormProps) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([])
  const { error, run } = useAction()
  const paths = Object.keys(attack.params).map((name) => `params.${name}`)
  const enable = async () => {
    const params = Object.entries(values)
      .filter(([, text]) => text !== '')
      .map(([name, text]) => [name, toValue(attack.params[name], text)])
    const body = { type: attack.type, params: Object.fromEntries(params) }
    setMistakes([])
    const result = await order<AttackEnableResult>(base, 'attack/enable', body).finally(onChange)
    setMistakes(result.mistakes ?? [])
  }
  const others = mistakes.filter(({ path }) => !paths.includes(path))
  return (
    <Form onSubmit={() => run(enable)}>
      <div class="fields">
        {Object.entries(attack.params).map(([name, parameter]) => (
          <ParameterField
            key={name}
            name={name}
            parameter={name === 'bus' ? boundBus(parameter, lastBus) : parameter}
            value={values[name] ?? ''}
            error={mistakeAt(mistakes, `params.${name}`)}
            onValue={(text) => setValues({ ...values, [name]: text })}
          />
        ))}
      </div>
      {others.length === 0 ? null : (
        <ul class="problem" role="alert">
          {others.map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      )}
      <Problem error={error} />
      <Facts
        facts={[
          ['Effect', attack.gridEffect],
          ['Found by', attack.expectedDetection],
        ]}
      />
      <Button type="submit" kind="primary">
        Enable {attack.type}
      </Button>
    </Form>
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
