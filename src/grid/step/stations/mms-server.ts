/** The IEC 61850 station: it answers requests for names and data, reports changes, and obeys selected controls. */

import { product } from '../../configuration.ts'
import type { ControlCentre } from '../../control-centre/context.ts'
import { watchWriter } from '../../control-centre/link-monitor.ts'
import type { MmsFrame } from '../../protocols/mms.ts'
import { associateResponse, confirmConnection } from '../../protocols/mms-association.ts'
import type { MmsData } from '../../protocols/mms-data.ts'
import type { MmsName, MmsPdu, MmsRequest, MmsResponse, MmsResult, MmsVariables } from '../../protocols/mms-pdu.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { MmsDialogue } from '../dialogue.ts'
import type { Outgoing, StepScene } from '../step-context.ts'
import { readControl, sendFrame, sendPdu } from './mms-dialogue.ts'
import {
  type ControlService,
  domainOf,
  listMembers,
  listNames,
  mostNames,
  readControlItem,
  reportBlock,
  reportEnable,
  scanSet,
  toBits,
  toPosition,
} from './mms-model.ts'
import { takeChanges } from './outstation-state.ts'
import { listMasters, type Session } from './session.ts'
import { isClosed, isSelected, operate, type Switchgear, selectUs } from './switching.ts'

/** The parts of a step that the station touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'>

/** Codes of ISO 9506-2 DataAccessError. */
const accessError = { temporarilyUnavailable: 2, accessDenied: 3, typeInconsistent: 7, nonExistent: 10 } as const

/** A request that is being served. */
interface Serving extends Session<MmsDialogue, Server & ControlCentre> {
  readonly timeUs: number
}

/** Serves a frame of a client; what belongs to no phase of an association gets no answer. */
export function serve(serving: Serving, frame: MmsFrame): void {
  const { context, connection, timeUs } = serving
  const { dialogue } = connection
  if (frame.kind === 'connection_request') {
    dialogue.phase = 'associating'
    sendFrame(context, connection, 'server', confirmConnection(frame.sourceReference), timeUs)
  } else if (frame.kind === 'associate_request' && dialogue.phase !== 'connecting') {
    dialogue.phase = 'open'
    sendFrame(context, connection, 'server', associateResponse, timeUs)
  } else if (frame.kind === 'data' && dialogue.phase === 'open') answerPdu(serving, frame.pdu)
}

function answerPdu(serving: Serving, pdu: MmsPdu): void {
  const { context, connection, timeUs } = serving
  if (pdu.kind === 'conclude_request') {
    sendPdu(context, connection, 'server', { kind: 'conclude_response' }, timeUs)
  } else if (pdu.kind === 'confirmed_request') {
    const { invokeId } = pdu
    const response = carryOut(serving, pdu.request)
    const purpose = response?.service === 'read' ? 'reporting' : 'link'
    const answer: MmsPdu =
      response === undefined ? rejectService(invokeId) : { kind: 'confirmed_response', invokeId, response }
    sendPdu(context, connection, 'server', answer, timeUs, { purpose })
  }
}

/** Reject of a confirmed request: its service is not known (ISO 9506-2 RejectPDU). */
function rejectService(invokeId: number): MmsPdu {
  const octets = [invokeId >>> 24, invokeId >>> 16, invokeId >>> 8, invokeId].map((octet) => octet & 0xff)
  return { kind: 'other', octets: Uint8Array.of(0xa4, 9, 0x80, 4, ...octets, 0x81, 1, 1) }
}

/** Carries a request out; undefined for a service that the station does not have. */
function carryOut(serving: Serving, request: MmsRequest): MmsResponse | undefined {
  switch (request.service) {
    case 'identify':
      return { service: 'identify', vendor: 'Sluice', model: 'GRID-IED', revision: product.version }
    case 'get_name_list':
      return listDirectory(serving.outstation, request)
    case 'read': {
      const { variables, withSpecification } = request
      const results = readVariables(serving, variables)
      return { service: 'read', ...(withSpecification === true && { variables }), results }
    }
    case 'write':
      return { service: 'write', results: writeVariables(serving, request) }
    case 'other':
      return undefined
  }
}

/** Object classes of a directory (ISO 9506-2 ObjectClass): variables, lists of variables, domains. */
const directory = { variables: 0, lists: 2, domains: 9 } as const

function listDirectory(
  outstation: Outstation,
  { objectClass, domain, continueAfter }: Extract<MmsRequest, { readonly service: 'get_name_list' }>,
): MmsResponse {
  const isHere = domain === domainOf(outstation)
  const all =
    objectClass === directory.domains && domain === undefined
      ? [domainOf(outstation)]
      : objectClass === directory.variables && isHere
        ? listNames(outstation)
        : objectClass === directory.lists && isHere
          ? [scanSet]
          : []
  const rest = all.filter((name) => continueAfter === undefined || name > continueAfter)
  return { service: 'get_name_list', names: rest.slice(0, mostNames), moreFollows: rest.length > mostNames }
}

function isIn(outstation: Outstation, name: MmsName): boolean {
  return name.scope === 'domain' && name.domain === domainOf(outstation)
}

/** The data of the members: measurements of the last scan, and positions as they are now. */
function readMembers(
  context: Pick<StepScene, 'world'>,
  { node, branches }: Outstation,
): readonly MmsData[] | undefined {
  const values = context.world.samples[node]?.values
  if (values === undefined) return undefined
  const measured = values.map((value) => ({ kind: 'float' as const, value }))
  return [...measured, ...branches.map((branch) => toPosition(isClosed(context, branch)))]
}

function readVariables({ context, connection, outstation }: Serving, variables: MmsVariables): readonly MmsResult[] {
  const data = readMembers(context, outstation)
  const missing = { kind: 'failure', code: accessError.nonExistent } as const
  if ('list' in variables) {
    const isScan = isIn(outstation, variables.list) && variables.list.item === scanSet
    return isScan ? (data ?? [{ kind: 'failure', code: accessError.temporarilyUnavailable }]) : [missing]
  }
  const members = listMembers(outstation)
  return variables.names.map((name) => {
    if (!isIn(outstation, name)) return missing
    if (name.item === reportEnable) return { kind: 'boolean', value: connection.dialogue.isReporting }
    return data?.[members.indexOf(name.item)] ?? missing
  })
}

/** Writes each variable by itself: an error of one leaves the others (ISO 9506-2 clause 14.7). */
function writeVariables(
  serving: Serving,
  { variables, data }: Extract<MmsRequest, { readonly service: 'write' }>,
): readonly (number | null)[] {
  const names = 'names' in variables ? variables.names : [variables.list]
  return names.map((name, at) => {
    if (!isIn(serving.outstation, name)) return accessError.nonExistent
    const value = data[at]
    const control = readControlItem(name.item)
    if (control !== undefined) return obey(serving, name, control, value)
    if (name.item !== reportEnable) {
      return listMembers(serving.outstation).includes(name.item) ? accessError.accessDenied : accessError.nonExistent
    }
    if (value?.kind !== 'boolean') return accessError.typeInconsistent
    serving.connection.dialogue.isReporting = value.value
    return null
  })
}

/**
 * Selects, operates or cancels the control of a breaker: an operation has the value and the number of the selection on
 * the same association, within its time, and uses it up. A termination follows an operation (IEC 61850-7-2 clause 20.2).
 */
function obey(
  { context, connection, outstation, timeUs }: Serving,
  name: MmsName,
  { index, service }: { readonly index: number; readonly service: ControlService },
  data: MmsData | undefined,
): number | null {
  const { dialogue } = connection
  const branch = outstation.branches[index]
  if (branch === undefined) return accessError.nonExistent
  watchWriter(context, outstation, connection, `an MMS write to ${name.item}`)
  const control = readControl(data)
  if (control === undefined || data === undefined) return accessError.typeInconsistent
  const value = `${index} ${control.closed} ${control.number}`
  const wasSelected = isSelected(dialogue.selected, value, timeUs)
  dialogue.selected = service === 'SBOw' ? { value, untilUs: timeUs + selectUs } : null
  if (service === 'SBOw') return null
  if (!wasSelected) return accessError.accessDenied
  if (service === 'Cancel') return null
  const cause = `MMS write to ${outstation.node} ${name.item}`
  operate(context, { branch, closed: control.closed, cause, timeUs })
  const termination: MmsPdu = { kind: 'information_report', variables: { names: [name] }, results: [data] }
  sendPdu(context, connection, 'server', termination, timeUs + terminationUs)
  return null
}

/** Microseconds from an operation to its termination. */
const terminationUs = 300

/** Reports a breaker that moved to every client that asked for reports. */
export function report(context: Server, outstation: Outstation, branch: number, timeUs: number): void {
  const at = outstation.points.length + outstation.branches.indexOf(branch)
  tellClients(context, outstation, [at], timeUs + 5_000)
}

/** Reports the values that have left their dead band. */
export function reportChanges(
  context: Server & Pick<StepScene, 'startUs'>,
  outstation: Outstation,
  timeUs: number,
): void {
  const left = takeChanges(context, outstation).map(({ index }) => index)
  if (left.length > 0) tellClients(context, outstation, left, timeUs)
}

/** Reasons for inclusion and optional fields (IEC 61850-8-1 clause 17.2.3): bits of 6 and of 10. */
const dataChange = toBits(6, (at) => at === 1)
const optionalFields = toBits(10, (at) => at >= 1 && at <= 4)

function tellClients(context: Server, outstation: Outstation, included: readonly number[], timeUs: number): void {
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
    sendPdu(context, connection, 'server', pdu, timeUs, { purpose: 'reporting' })
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
