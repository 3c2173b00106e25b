/** The IEC 61850 station as a server: it answers requests for names and data, and obeys selected controls. */

import { product } from '../../configuration.ts'
import type { ControlCentre } from '../../control-centre/context.ts'
import { watchWriter } from '../../control-centre/link-monitor.ts'
import { associateResponse, confirmConnection } from '../../protocols/mms/association.ts'
import type { MmsFrame } from '../../protocols/mms/frame.ts'
import type { MmsPdu } from '../../protocols/mms/pdu.ts'
import type { MmsRequest } from '../../protocols/mms/requests.ts'
import type { MmsResponse } from '../../protocols/mms/responses.ts'
import type { MmsName, MmsResult, MmsVariables } from '../../protocols/mms/variables.ts'
import type { MmsData } from '../../protocols/mms-data.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'
import type { MmsDialogue } from '../dialogue.ts'
import type { Outgoing } from '../step-context.ts'
import { readControl, sendFrame, sendPdu } from './mms-dialogue.ts'
import {
  type ControlService,
  domainOf,
  listMembers,
  listNames,
  mostNames,
  readControlItem,
  reportEnable,
  scanSet,
} from './mms-model.ts'
import { readMembers } from './mms-reports.ts'
import type { Session } from './session.ts'
import { isSelected, operate, type Switchgear, selectUs } from './switching.ts'

/** The parts of a step that the station touches. */
type Server = Switchgear & Pick<Outgoing, 'queue'> & ControlCentre

/** Codes of ISO 9506-2 DataAccessError. */
const accessError = { temporarilyUnavailable: 2, accessDenied: 3, typeInconsistent: 7, nonExistent: 10 } as const

/** A request that is being served. */
interface Serving extends Session<MmsDialogue, Server> {
  readonly timeUs: number
}

/** Serves a frame of a client; what belongs to no phase of an association gets no answer. */
export function serve(serving: Serving, frame: MmsFrame): void {
  const { timeUs } = serving
  const { dialogue } = serving.connection
  if (frame.kind === 'connection_request') {
    Object.assign(dialogue, { ...ended, phase: 'associating' })
    sendFrame(serving, 'server', confirmConnection(frame.sourceReference), { timeUs })
  } else if (frame.kind === 'associate_request' && dialogue.phase !== 'connecting') {
    dialogue.phase = 'open'
    sendFrame(serving, 'server', associateResponse, { timeUs })
  } else if (frame.kind === 'data' && dialogue.phase === 'open') answerPdu(serving, frame.pdu)
}

/** The dialogue without an association: the reports and the selection of a client end with its association. */
const ended: Pick<MmsDialogue, 'phase' | 'isReporting' | 'selected'> = {
  phase: 'connecting',
  isReporting: false,
  selected: null,
}

function answerPdu(serving: Serving, pdu: MmsPdu): void {
  const { timeUs } = serving
  if (pdu.kind === 'conclude_request') {
    Object.assign(serving.connection.dialogue, ended)
    sendPdu(serving, 'server', { kind: 'conclude_response' }, { timeUs })
  } else if (pdu.kind === 'confirmed_request') {
    const { invokeId } = pdu
    const response = carryOut(serving, pdu.request)
    const purpose = response?.service === 'read' ? 'reporting' : 'link'
    const answer: MmsPdu =
      response === undefined ? rejectService(invokeId) : { kind: 'confirmed_response', invokeId, response }
    sendPdu(serving, 'server', answer, { timeUs, purpose })
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
  let all: readonly string[] = []
  if (objectClass === directory.domains && domain === undefined) all = [domainOf(outstation)]
  else if (objectClass === directory.variables && isHere) all = listNames(outstation)
  else if (objectClass === directory.lists && isHere) all = [scanSet]
  const rest = all.filter((name) => continueAfter === undefined || name > continueAfter)
  return { service: 'get_name_list', names: rest.slice(0, mostNames), moreFollows: rest.length > mostNames }
}

function isIn(outstation: Outstation, name: MmsName): boolean {
  return name.scope === 'domain' && name.domain === domainOf(outstation)
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
  serving: Serving,
  name: MmsName,
  { index, service }: { readonly index: number; readonly service: ControlService },
  data: MmsData | undefined,
): number | null {
  const { context, connection, outstation, timeUs } = serving
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
  sendPdu(serving, 'server', termination, { timeUs: timeUs + terminationUs })
  return null
}

/** Microseconds from an operation to its termination. */
const terminationUs = 300
