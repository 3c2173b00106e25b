/** The IEC 61850 station as any client meets it: directories, data, controls that must be selected, what it refuses. */

import { describe, expect, it } from 'vitest'
import { findNetwork } from '#grid/network/find-network.ts'
import { associateRequest } from '#grid/protocols/mms/association.ts'
import { decodeMms, encodeMms, type MmsFrame } from '#grid/protocols/mms/frame.ts'
import type { MmsPdu } from '#grid/protocols/mms/pdu.ts'
import type { MmsRequest } from '#grid/protocols/mms/requests.ts'
import type { MmsData } from '#grid/protocols/mms-data.ts'
import { envelope } from '#grid/step/connections.ts'
import { mmsStation } from '#grid/step/stations/mms.ts'
import { toPosition } from '#grid/step/stations/mms-model.ts'
import { openStepContext, type StepContext } from '#grid/step/step-context.ts'
import { calmStretch } from '#test/support/grid-session.ts'
import { must } from '#test/support/must.ts'

const settings = { iec61850: 2, load_speed: 0 }

function scene(): { readonly context: StepContext; readonly tell: (frame: MmsFrame, afterUs?: number) => MmsFrame[] } {
  const { world } = calmStretch(21, settings)
  const context = openStepContext(world, findNetwork(world.configuration))
  const connection = must(world.connections['CC--RTU-4#cc'])
  return {
    context,
    tell(frame, afterUs = 0) {
      const payload = encodeMms(frame)
      const message = { ...envelope(connection, 'client'), payload, purpose: 'link', forged: null } as const
      mmsStation.receive(context, { ...message, timeUs: context.startUs + afterUs }, payload)
      return context.queue.splice(0).flatMap((answer) => {
        const decoded = decodeMms(answer.payload)
        if (!decoded.ok) throw new Error(decoded.fault.message)
        return [decoded.value]
      })
    },
  }
}

const pduOf = (frame: MmsFrame | undefined): MmsPdu | undefined => (frame?.kind === 'data' ? frame.pdu : undefined)

/** Sends one request to RTU-4, which has an open association, and gives the answer's body. */
function ask(request: MmsRequest, { tell } = scene(), afterUs = 0) {
  const frame: MmsFrame = { kind: 'data', context: 3, pdu: { kind: 'confirmed_request', invokeId: 99, request } }
  const pdu = pduOf(tell(frame, afterUs)[0])
  return pdu?.kind === 'confirmed_response' && pdu.invokeId === 99 ? pdu.response : pdu
}

const name = (item: string) => ({ scope: 'domain', domain: 'RTU4LD0', item }) as const
const read = (...items: string[]): MmsRequest => ({ service: 'read', variables: { names: items.map(name) } })

function control(closed: boolean, number = 1): MmsData {
  return {
    kind: 'structure',
    entries: [
      { kind: 'boolean', value: closed },
      { kind: 'structure', entries: [] },
      { kind: 'unsigned', value: number },
    ],
  }
}

const write = (item: string, data: MmsData): MmsRequest => ({
  service: 'write',
  variables: { names: [name(item)] },
  data: [data],
})

describe('serve()', () => {
  it('lists its domain, the variables in it and the data set, and goes on where a client stopped', () => {
    const directory = (request: object) => ask({ service: 'get_name_list', objectClass: 0, ...request })
    expect(directory({ objectClass: 9 })).toMatchObject({ names: ['RTU4LD0'], moreFollows: false })
    expect(directory({ objectClass: 2, domain: 'RTU4LD0' })).toMatchObject({ names: ['LLN0$dsScan'] })
    const all = directory({ domain: 'RTU4LD0' })
    expect(all).toMatchObject({ names: expect.arrayContaining(['MMXU1$MX$AvPhVPhs$mag$f', 'XCBR2$ST$Pos$stVal']) })
    const rest = directory({ domain: 'RTU4LD0', continueAfter: 'XCBR1$ST$Pos$stVal' })
    expect(rest).toMatchObject({ names: ['XCBR2$ST$Pos$stVal', 'XCBR3$ST$Pos$stVal'] })
    expect(directory({ domain: 'OTHER' })).toMatchObject({ names: [] })
  })

  it('reads values of the last scan, and positions as they are', () => {
    const at = scene()
    const results = ask(read('MMXU1$MX$TotW$mag$f', 'XCBR1$ST$Pos$stVal', 'MMXU9$MX$TotW$mag$f'), at)
    const value = Math.fround(must(at.context.world.samples['RTU-4']?.values[1]))
    expect(results).toEqual({
      service: 'read',
      results: [{ kind: 'float', value }, toPosition(true), { kind: 'failure', code: 10 }],
    })
  })

  it('says who it is, and rejects a service that it does not have', () => {
    expect(ask({ service: 'identify' })).toMatchObject({ vendor: 'Sluice', model: 'GRID-IED' })
    const unknown = { service: 'other', octets: Uint8Array.of(0x80, 0) } as const
    expect(ask(unknown)).toEqual({ kind: 'other', octets: Uint8Array.of(0xa4, 9, 0x80, 4, 0, 0, 0, 99, 0x81, 1, 1) })
  })

  it('operates a breaker that was selected with the same value and number, once, and tells of its end', () => {
    const at = scene()
    expect(ask(write('CSWI1$CO$Pos$SBOw', control(false)), at)).toEqual({ service: 'write', results: [null] })
    const frame = {
      kind: 'data',
      context: 3,
      pdu: { kind: 'confirmed_request', invokeId: 7, request: write('CSWI1$CO$Pos$Oper', control(false)) },
    } as const
    const [answer, termination] = at.tell(frame)
    expect(pduOf(answer)).toMatchObject({ response: { results: [null] } })
    expect(pduOf(termination)).toMatchObject({
      kind: 'information_report',
      variables: { names: [{ item: 'CSWI1$CO$Pos$Oper' }] },
    })
    expect(at.context.world.plant.open).toEqual([7])
    expect(pduOf(at.tell(frame)[0])).toMatchObject({ response: { results: [3] } })
  })

  it.each([
    ['without a selection', [], 0],
    ['of another value', [write('CSWI1$CO$Pos$SBOw', control(true))], 0],
    ['of another number', [write('CSWI1$CO$Pos$SBOw', control(false, 2))], 0],
    ['of another breaker', [write('CSWI2$CO$Pos$SBOw', control(false))], 0],
    [
      'after it was cancelled',
      [write('CSWI1$CO$Pos$SBOw', control(false)), write('CSWI1$CO$Pos$Cancel', control(false))],
      0,
    ],
    ['ten seconds late', [write('CSWI1$CO$Pos$SBOw', control(false))], 11_000_000],
  ] as const)('refuses an operation %s', (_, before, afterUs) => {
    const at = scene()
    for (const request of before) ask(request, at)
    expect(ask(write('CSWI1$CO$Pos$Oper', control(false)), at, afterUs)).toEqual({ service: 'write', results: [3] })
    expect(at.context.world.plant.open).toEqual([])
  })

  it('refuses to write what is not there, what is measured, and data of another type', () => {
    const yes: MmsData = { kind: 'boolean', value: true }
    expect(ask(write('CSWI9$CO$Pos$SBOw', control(false)))).toMatchObject({ results: [10] })
    expect(ask(write('MMXU1$MX$TotW$mag$f', yes))).toMatchObject({ results: [3] })
    expect(ask(write('CSWI1$CO$Pos$SBOw', yes))).toMatchObject({ results: [7] })
    expect(ask(write('LLN0$RP$urcbScan01$RptEna', control(true)))).toMatchObject({ results: [7] })
  })

  it('does not answer a name that is not ASCII', () => {
    const request = { ...read('LLN0$dsScan'), withSpecification: true } as const
    const frame: MmsFrame = { kind: 'data', context: 3, pdu: { kind: 'confirmed_request', invokeId: 1, request } }
    const { context } = scene()
    const connection = must(context.world.connections['CC--RTU-4#cc'])
    const payload = encodeMms(frame)
    payload[payload.length - 1] = 0xfc
    const message = { ...envelope(connection, 'client'), payload, purpose: 'link', forged: null } as const
    mmsStation.receive(context, { ...message, timeUs: context.startUs }, payload)
    expect(context.queue).toEqual([])
  })

  it('ends an association with its reports: afterwards it answers and tells nothing', () => {
    const at = scene()
    const conclude: MmsFrame = { kind: 'data', context: 3, pdu: { kind: 'conclude_request' } }
    expect(at.tell(conclude).map(pduOf)).toEqual([{ kind: 'conclude_response' }])
    expect(ask(read('XCBR1$ST$Pos$stVal'), at)).toBeUndefined()
    mmsStation.report?.(at.context, must(at.context.plan.outstations[3]), 8, at.context.startUs)
    expect(at.context.queue).toEqual([])
  })

  it('does not answer a request before there is an association, nor an association before COTP', () => {
    const at = scene()
    const connection = must(at.context.world.connections['CC--RTU-4#cc'])
    connection.dialogue = mmsStation.open(0)
    expect(ask(read('XCBR1$ST$Pos$stVal'), at)).toBeUndefined()
    expect(at.tell(associateRequest)).toEqual([])
  })
})
