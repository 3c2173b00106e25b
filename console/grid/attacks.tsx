/** The attacks that are on, and the catalogue from which a person enables another. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { ActiveAttack, Catalog } from '#grid/contract/attacks.ts'
import { Button, Empty, Problem, State } from '../frame/components.tsx'
import { SelectField } from '../frame/fields.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useAnswer } from '../frame/resource.ts'
import { duration } from '../frame/time.ts'
import { AttackForm, type AttackFormProps } from './attack-form.tsx'
import { parameterLabel } from './parameter-label.ts'
import { order } from './requests.ts'

interface AttacksProps extends Omit<AttackFormProps, 'attack'> {
  /** Undefined while they are not known. */
  readonly active: readonly ActiveAttack[] | undefined
  /** Simulated Unix seconds. */
  readonly at: number
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
        {active?.length === 0 ? (
          <Empty title="No attack is on">
            Choose one below; its effect shows in the diagram as the gap between estimate and truth.
          </Empty>
        ) : null}
        {active?.map((attack) => (
          <Active key={attack.attack_id} attack={attack} at={at} onEnd={end} />
        ))}
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
