/** The objects of an IEC 61850 station by their MMS names, and the data in them (IEC 61850-8-1, IEC 61850-7-4). */

import type { MmsName, MmsResult } from '../../protocols/mms/variables.ts'
import type { MmsData } from '../../protocols/mms-data.ts'
import type { Outstation } from '../../telecontrol/telecontrol.ts'

/** The data set with every measurement and position. */
export const scanSet = 'LLN0$dsScan'
/** The report control block that reports changes of the data set. */
export const reportBlock = 'LLN0$RP$urcbScan01'
/** The variable of the block that a client sets to get its reports. */
export const reportEnable = `${reportBlock}$RptEna`

/** Most names in one answer: so that it stays within one segment. */
export const mostNames = 30

/** Quantities of the measuring unit of a bay, or of the bus, which is the first (IEC 61850-7-4 clause 5.10). */
const quantities = { v: 'AvPhVPhs', p_inj: 'TotW', q_inj: 'TotVAr', p_flow: 'TotW', q_flow: 'TotVAr' } as const

/** The domain of a station: the name of its device and of its logical device. */
export function domainOf({ node }: Pick<Outstation, 'node'>): string {
  return `${node.replace('-', '')}LD0`
}

/** A name in the domain of a station. */
export function nameOf(outstation: Outstation, item: string): MmsName {
  return { scope: 'domain', domain: domainOf(outstation), item }
}

/** The members of the data set: a measurement for each point, then the position of each breaker. */
export function listMembers({ points, branches }: Outstation): readonly string[] {
  return [
    ...points.map(({ kind, element }) => {
      const unit = kind === 'p_flow' || kind === 'q_flow' ? branches.indexOf(element) + 2 : 1
      return `MMXU${unit}$MX$${quantities[kind]}$mag$f`
    }),
    ...branches.map((_, index) => `XCBR${index + 1}$ST$Pos$stVal`),
  ]
}

/** The objects of the control of a breaker: selected with its value, operated, cancelled (clause 20 of 8-1). */
export type ControlService = (typeof services)[number]

const services = ['SBOw', 'Oper', 'Cancel'] as const

/** The name of a control object of the breaker at a position. */
export function controlItem(index: number, service: ControlService): string {
  return `CSWI${index + 1}$CO$Pos$${service}`
}

/** Finds the breaker and the service of a control object; undefined for other names. */
export function readControlItem(
  item: string,
): { readonly index: number; readonly service: ControlService } | undefined {
  const found = /^CSWI([1-9]\d{0,2})\$CO\$Pos\$(SBOw|Oper|Cancel)$/.exec(item)
  // The pattern has no other names.
  return found === null ? undefined : { index: Number(found[1]) - 1, service: found[2] as ControlService }
}

/** Every name of a station's domain, in the order of a directory. */
export function listNames(outstation: Outstation): readonly string[] {
  const controls = outstation.branches.flatMap((_, index) => services.map((service) => controlItem(index, service)))
  return [...listMembers(outstation), ...controls, reportEnable].sort()
}

/** A position of two bits: 01 open, 10 closed (IEC 61850-7-3, Dbpos). */
export function toPosition(closed: boolean): MmsData {
  return { kind: 'bit_string', unusedBits: 6, bytes: Uint8Array.of(closed ? 0x80 : 0x40) }
}

/** Reads a position; undefined while a breaker moves, and for other data. */
export function readPosition(data: MmsResult | undefined): boolean | undefined {
  if (data?.kind !== 'bit_string') return undefined
  const state = (data.bytes[0] ?? 0) & 0xc0
  return state === 0x80 ? true : state === 0x40 ? false : undefined
}

/** A bit string with the bits at some places set. */
export function toBits(length: number, isSet: (at: number) => boolean): MmsData {
  const bytes = new Uint8Array(Math.ceil(length / 8))
  for (let at = 0; at < length; at++) if (isSet(at)) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (0x80 >> (at & 7))
  return { kind: 'bit_string', unusedBits: bytes.length * 8 - length, bytes }
}

/** The position of the inclusion in a report, with the values behind it (clause 17.2.3 of 8-1). */
const inclusionAt = 5

/** The members of the data set whose values an answer or a report carries. */
export interface Included {
  /** Their positions in the data set, in the order of the values. */
  readonly members: readonly number[]
  /** The position of the first value. */
  readonly from: number
}

/** The members in an answer to a read of the data set: all. */
export function allIncluded(outstation: Outstation): Included {
  return { members: listMembers(outstation).map((_, at) => at), from: 0 }
}

/** Finds the members that a report says it carries. */
export function findIncluded(outstation: Outstation, report: readonly MmsResult[]): Included {
  const inclusion = report[inclusionAt]
  const { bytes } = inclusion?.kind === 'bit_string' ? inclusion : { bytes: new Uint8Array(0) }
  const { members } = allIncluded(outstation)
  return { members: members.filter((at) => ((bytes[at >> 3] ?? 0) & (0x80 >> (at & 7))) !== 0), from: inclusionAt + 1 }
}
