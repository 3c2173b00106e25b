/** Reports of an IEC 61850 station: the data of its data set, and the changes that it sends to clients by itself. */

import type { MmsPdu } from '../../protocols/mms/pdu.ts'
import type { MmsData } from '../../protocols/mms-data.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import { takeChanges } from '../samples.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import { sendPdu } from './mms-dialogue.ts'
import { domainOf, reportBlock, scanSet, toBits, toPosition } from './mms-model.ts'
import { listMasters } from './session.ts'
import { isClosed } from './switching.ts'

/** The parts of a step that a report needs. */
type Reporter = Pick<StepScene, 'world'> & Pick<Outgoing, 'queue'>

/** The data of the members: measurements of the last scan, and positions as they are now; undefined before a scan. */
export function readMembers(
  context: Pick<StepScene, 'world'>,
  { node, branches }: Outstation,
): readonly MmsData[] | undefined {
  const values = context.world.samples[node]?.values
  if (values === undefined) return undefined
  const measured = values.map((value) => ({ kind: 'float' as const, value }))
  return [...measured, ...branches.map((branch) => toPosition(isClosed(context, branch)))]
}

/** Reports a breaker that moved to every client that asked for reports. */
export function report(context: Reporter, outstation: Outstation, branch: number, timeUs: number): void {
  const at = outstation.points.length + outstation.branches.indexOf(branch)
  tellClients(context, outstation, [at], timeUs + 5_000)
}

/** Reports the values that have left their dead band. */
export function reportChanges(context: Reporter, outstation: Outstation, timeUs: number): void {
  const left = takeChanges(context, outstation).map(({ index }) => index)
  if (left.length > 0) tellClients(context, outstation, left, timeUs)
}

/** Reasons for inclusion and optional fields (IEC 61850-8-1 clause 17.2.3): bits of 6 and of 10. */
const dataChange = toBits(6, (at) => at === 1)
const optionalFields = toBits(10, (at) => at >= 1 && at <= 4)

function tellClients(context: Reporter, outstation: Outstation, included: readonly number[], timeUs: number): void {
  const data = readMembers(context, outstation)
  if (data === undefined) return
  for (const connection of listMasters(context, outstation, 'MMS')) {
    const { dialogue } = connection
    if (!dialogue.isReporting) continue
    const results: readonly MmsData[] = [
      { kind: 'visible_string', value: reportBlock },
      optionalFields,
      { kind: 'unsigned', value: dialogue.reportNumber },
      { kind: 'binary_time', bytes: toBinaryTime(timeUs) },
      { kind: 'visible_string', value: `${domainOf(outstation)}/${scanSet}` },
      toBits(data.length, (at) => included.includes(at)),
      ...included.flatMap((at) => data[at] ?? []),
      ...included.map(() => dataChange),
    ]
    dialogue.reportNumber = (dialogue.reportNumber + 1) % 65_536
    const pdu: MmsPdu = { kind: 'information_report', variables: { list: { scope: 'vmd', item: 'RPT' } }, results }
    sendPdu({ context, connection }, 'server', pdu, { timeUs, purpose: 'reporting' })
  }
}

/** Milliseconds of the day in 4 octets, days since 1984 in 2 (ISO 9506-2 TimeOfDay). */
function toBinaryTime(timeUs: number): Uint8Array {
  const day = 86_400_000
  const ms = Math.floor(timeUs / 1000)
  const octets = new DataView(new ArrayBuffer(6))
  octets.setUint32(0, ms % day)
  octets.setUint16(4, Math.floor((ms - Date.UTC(1984, 0, 1)) / day))
  return new Uint8Array(octets.buffer)
}
