/** One incident: its octets and fields before and after the attacker, its technique, and downloads. */

import type { JSX } from 'preact'
import type { Incident, Technique } from '#grid/contract/records.ts'
import { ask } from '../frame/api.ts'
import { Button, Empty, Facts, Problem, SmallTable, State } from '../frame/components.tsx'
import { Sheet } from '../frame/dialog.tsx'
import { Loaded } from '../frame/loaded.tsx'
import { useAction, useResource } from '../frame/resource.ts'
import { dateTime } from '../frame/time.ts'
import { compareFields, type FieldChange, markOctets, type Octet } from './octets.ts'
import { saveExport } from './requests.ts'

interface IncidentSheetProps {
  readonly base: string
  readonly id: string
  /** The incident where the room has it; otherwise it is read from the simulation. */
  readonly known: Incident | undefined
  readonly onClose: () => void
}

/** The inspector. */
export function IncidentSheet({ base, id, known, onClose }: IncidentSheetProps): JSX.Element {
  const found = useResource(async (signal) => {
    if (known !== undefined) return known
    const path = `${base}/incidents?id=${encodeURIComponent(id)}`
    const { incidents } = await ask<{ incidents: readonly Incident[] }>('grid', path, { signal })
    return incidents.at(-1) ?? null
  }, `${base} ${id}`)
  return (
    <Sheet title={`Incident ${id}`} onClose={onClose}>
      <Loaded of={found} rows={10}>
        {(incident) =>
          incident !== null ? (
            <IncidentDetails incident={incident} base={base} />
          ) : (
            <Empty title="The simulation does not retain this incident">
              It keeps the newest 10,000, and a new session begins with none. Close this sheet and open another incident
              of the list.
            </Empty>
          )
        }
      </Loaded>
    </Sheet>
  )
}

function IncidentDetails({ incident, base }: { readonly incident: Incident; readonly base: string }): JSX.Element {
  const { original_val: before, modified_val: after, technique } = incident
  const [sent, received] = [readText(before?.raw_hex), readText(after?.raw_hex)]
  return (
    <div class="stack">
      <p>
        <State tone={incident.severity === 'HIGH' || incident.severity === 'CRITICAL' ? 'bad' : 'attention'}>
          {incident.description}
        </State>
      </p>
      <Facts
        facts={[
          ['When', `${dateTime(incident.timestamp * 1000)}, simulated`],
          ['From', showEnd(incident.src_node, incident.src_ip)],
          ['To', showEnd(incident.dst_node, incident.dst_ip)],
          ['Protocol', incident.protocol],
          ['Attack', incident.attack_type],
          ['Technique', technique === undefined ? null : techniqueLink(technique)],
        ]}
      />
      <Octets
        title="As sent"
        octets={markOctets(sent, received)}
        none={isNothing(before) ? 'The sender sent nothing: the message is forged.' : unrecorded}
      />
      <Octets
        title="As received"
        octets={markOctets(received, sent)}
        none={isNothing(after) ? 'Nothing arrived: the message was dropped.' : unrecorded}
      />
      <ChangedFields changed={compareFields(before, after).filter(({ isChanged }) => isChanged)} />
      <Downloads base={base} id={incident.id} />
    </div>
  )
}

/** An outside simulator may send fields of a message without its octets. */
const unrecorded = 'Its octets were not recorded.'

function isNothing(message: Incident['original_val']): boolean {
  return message === undefined || Object.keys(message).length === 0
}

/** A part that scrolls has a name and takes the keyboard. */
const scrolled = { role: 'region', tabIndex: 0, 'aria-label': 'Fields that differ' } as const

/** Most fields that are drawn. */
const mostFields = 200

function ChangedFields({ changed }: { readonly changed: readonly FieldChange[] }): JSX.Element {
  return (
    <>
      <h3>{changed.length === 1 ? '1 field differs' : `${changed.length} fields differ`}</h3>
      <div class="table-frame" {...scrolled}>
        <SmallTable
          caption="Fields that differ"
          class="fields-table mono"
          heads={['Field', 'Sent', 'Received']}
          rows={changed
            .slice(0, mostFields)
            .map(({ name, before, after }) => [name, before || '-', <mark key="after">{after || '-'}</mark>])}
        />
      </div>
    </>
  )
}

function Downloads({ base, id }: { readonly base: string; readonly id: string }): JSX.Element {
  const { error, run } = useAction()
  const save = (path: string, name: string) => run(() => saveExport(base, path, name))
  const own = `?incident=${encodeURIComponent(id)}`
  return (
    <>
      <h3>This incident</h3>
      <div class="row">
        <Button onClick={() => save(`pcapng${own}`, `incident-${id}.pcapng`)}>
          Save 2 s before and after (pcapng)
        </Button>
        <Button onClick={() => save(`stix${own}`, `incident-${id}.stix.json`)}>Save incident (STIX)</Button>
      </div>
      <h3>The whole session</h3>
      <div class="row">
        <Button onClick={() => save('pcapng', 'capture.pcapng')}>Save capture (pcapng)</Button>
        <Button onClick={() => save('stix', 'incidents.stix.json')}>Save latest incidents (STIX)</Button>
      </div>
      <Problem error={error} />
    </>
  )
}

function Octets(props: {
  readonly title: string
  readonly octets: readonly Octet[]
  /** The reason why there are none. */
  readonly none: string
}): JSX.Element {
  return (
    <section>
      <h3>{props.title}</h3>
      {props.octets.length === 0 ? (
        <p class="quiet">{props.none}</p>
      ) : (
        <p class="octets mono">
          {props.octets.map(({ hex, isChanged }, at) =>
            isChanged ? <mark key={at}>{hex}</mark> : <span key={at}>{hex}</span>,
          )}
        </p>
      )}
    </section>
  )
}

function showEnd(node: string | undefined, address: string | undefined): JSX.Element {
  return (
    <>
      {node} <span class="quiet">{address}</span>
    </>
  )
}

function techniqueLink({ id, legacy_id: legacy, name }: Technique): JSX.Element {
  return (
    <a href={`https://attack.mitre.org/techniques/${id.replace('.', '/')}/`} target="_blank" rel="noreferrer">
      {id} {name}
      {legacy === id ? '' : ` (earlier ${legacy})`}
    </a>
  )
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
