/** One incident: its octets and fields before and after the attacker, its technique, and downloads. */

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../frame/api.ts'
import type { ConsoleError } from '../frame/errors.ts'
import { downloadBlob } from '../frame/export.ts'
import { Button, Empty, Problem, Sheet, Skeleton, State } from '../frame/pieces.tsx'
import { failureFrom, useResource } from '../frame/resource.ts'
import { dateTime } from '../frame/time.ts'
import { compareFields, markOctets } from './octets.ts'
import type { Incident, Technique } from './shapes.ts'

interface IncidentSheetProps {
  readonly base: string
  readonly id: string
  /** What the room has already; otherwise it is looked for among what the simulation retains. */
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
  const { data, error, reload } = found
  return (
    <Sheet title={`Incident ${id}`} onClose={onClose}>
      {error === undefined ? null : <Problem error={error} onRetry={reload} />}
      {data === undefined && error === undefined ? <Skeleton rows={10} /> : null}
      {data === null ? (
        <Empty title="The simulation does not retain this incident">
          <p>
            It keeps the newest 10,000, and a new session begins with none. Close this sheet and open another
            incident of the list.
          </p>
        </Empty>
      ) : null}
      {data ? <Inside incident={data} base={base} /> : null}
    </Sheet>
  )
}

function Inside({ incident, base }: { incident: Incident; base: string }) {
  const { original_val: before, modified_val: after, technique } = incident
  const [was, is] = [textOf(before?.raw_hex), textOf(after?.raw_hex)]
  const fields = compareFields(before ?? {}, after ?? {})
  const changed = fields.filter(({ isChanged }) => isChanged)
  return (
    <div class="stack">
      <p>
        <State tone={incident.severity === 'HIGH' || incident.severity === 'CRITICAL' ? 'bad' : 'attention'}>
          {incident.description}
        </State>
      </p>
      <dl class="facts">
        <Fact name="When">{dateTime(incident.timestamp * 1000)} UTC, simulated</Fact>
        <Fact name="From">
          {incident.src_node} <span class="quiet">{incident.src_ip}</span>
        </Fact>
        <Fact name="To">
          {incident.dst_node} <span class="quiet">{incident.dst_ip}</span>
        </Fact>
        <Fact name="Protocol">{incident.protocol}</Fact>
        <Fact name="Attack">{incident.attack_type}</Fact>
        {technique === undefined ? null : <Fact name="Technique">{techniqueLink(technique)}</Fact>}
      </dl>
      <Octets
        title="As sent"
        octets={markOctets(was, is)}
        none={isNothing(before) ? 'The sender sent nothing: the message is forged.' : unrecorded}
      />
      <Octets
        title="As received"
        octets={markOctets(is, was)}
        none={isNothing(after) ? 'Nothing arrived: the message was dropped.' : unrecorded}
      />
      <h3>{changed.length === 1 ? '1 field differs' : `${changed.length} fields differ`}</h3>
      <div class="table-frame" {...scrolled}>
        <table class="fields-table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col" class="num">
                Sent
              </th>
              <th scope="col" class="num">
                Received
              </th>
            </tr>
          </thead>
          <tbody>
            {changed.slice(0, 200).map(({ name, before: left, after: right }) => (
              <tr key={name}>
                <th scope="row" class="mono">
                  {name}
                </th>
                <td class="num mono">{left === '' ? '-' : left}</td>
                <td class="num mono">
                  <mark>{right === '' ? '-' : right}</mark>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Downloads base={base} id={incident.id} />
    </div>
  )
}

/** An outside simulator may send fields of a message without its octets. */
const unrecorded = 'Its octets were not recorded.'

function isNothing(message: Incident['original_val']): boolean {
  return message === undefined || Object.keys(message).length === 0
}

/** What scrolls has a name, and is reached by the keyboard. */
const scrolled = { role: 'region', tabIndex: 0, 'aria-label': 'Fields that differ' } as const

function Downloads({ base, id }: { readonly base: string; readonly id: string }) {
  const [failure, setFailure] = useState<ConsoleError | null>(null)
  const save = (path: string, name: string) =>
    ask<Blob>('grid', `${base}/export/${path}`, { as: 'blob' }).then(
      (blob) => {
        setFailure(null)
        downloadBlob(name, blob)
      },
      (error) => setFailure(failureFrom(error)),
    )
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
      {failure === null ? null : <Problem error={failure} />}
    </>
  )
}

function Octets(props: {
  readonly title: string
  readonly octets: readonly { readonly hex: string; readonly isChanged: boolean }[]
  readonly none: string
}) {
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

function Fact({
  name,
  children,
}: {
  readonly name: string
  readonly children: JSX.Element | string | (JSX.Element | string | undefined)[]
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
