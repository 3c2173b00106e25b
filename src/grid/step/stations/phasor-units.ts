/** Phasor measurement units: the frames that they send, and the commands that they handle. */

import { c37118Port, decodeC37118, encodeC37118, toC37118Time } from '../../protocols/c37118.ts'
import type { Message } from '../../telecontrol/message.ts'
import { endpoint, type PmuSite } from '../../telecontrol/telecontrol.ts'
import { listFieldConnections, sendFrom } from '../connections.ts'
import type { PhasorDialogue } from '../dialogue.ts'
import { type StepContext, type StepScene, send } from '../step-context.ts'
import type { Connection } from '../world.ts'
import { configurationFrame, dataFrame } from './phasor-frames.ts'
import { answerDelayUs } from './polling.ts'

/** Microseconds from a measurement to its frame: always, and the deviation and the bound of the random part. */
const reportingDelay = { leastUs: 2_000, deviationUs: 300, mostRandomUs: 2_000 } as const

/** The state of a connection on which no data was asked for. */
export function newPhasorDialogue(): PhasorDialogue {
  return { protocol: 'C37.118' }
}

/** Tests that a client has turned data on. */
export function isSending({ dialogue }: Connection): boolean {
  return dialogue.protocol === 'C37.118' && dialogue.isSending === true
}

/** Finds the unit that serves a connection. */
export function findSite({ plan }: StepScene, { serverNode }: Connection): PmuSite | undefined {
  return plan.pmus.find(({ node }) => node === serverNode)
}

/**
 * Sends every frame of data that falls into this step, each later than its measurement by a delay and `spreadUs`. Over
 * UDP the concentrator gets it, over TCP each client that has turned data on; `connection` is that of the concentrator.
 */
export function reportPhasors(
  context: StepContext,
  site: PmuSite,
  connection: Connection | undefined,
  spreadUs: number,
): void {
  const fromOutside = listFieldConnections(context.world, site.node)
  const clients = [...(connection === undefined ? [] : [connection]), ...fromOutside].filter(isSending)
  const { pmu_rate: rate } = context.world.configuration
  for (let count = Math.ceil((context.startUs * rate) / 1e6); ; count++) {
    const measuredUs = Math.floor((count * 1e6) / rate)
    if (measuredUs >= context.endUs) return
    const randomUs = Math.abs(context.random('reporting').normal(0, reportingDelay.deviationUs))
    const delayUs = reportingDelay.leastUs + Math.floor(Math.min(reportingDelay.mostRandomUs, randomUs))
    const payload = dataFrame(context, site, measuredUs)
    const frame = { payload, timeUs: measuredUs + delayUs + spreadUs, purpose: 'reporting' } as const
    if (connection === undefined) sendToPdc(context, site, frame)
    for (const client of clients) sendFrom(context, client, 'server', frame)
  }
}

/** Sends the configuration of a unit's stream to the concentrator over UDP. */
export function announceConfiguration(context: StepContext, site: PmuSite, timeUs: number): void {
  const payload = configurationFrame(context, site, 2, timeUs)
  sendToPdc(context, site, { payload, timeUs, purpose: 'link' })
}

/** Handles a command at a unit (IEEE C37.118.2 table 15), which ignores one that it cannot read. */
export function handleCommand(context: StepContext, connection: Connection, timeUs: number, payload: Uint8Array): void {
  const site = findSite(context, connection)
  const decoded = decodeC37118(payload)
  const { dialogue } = connection
  if (site === undefined || dialogue.protocol !== 'C37.118' || !decoded.ok) return
  const frame = decoded.value
  if (frame.kind !== 'command' || frame.idCode !== site.idCode) return
  const answer = (payload: Uint8Array) =>
    sendFrom(context, connection, 'server', { payload, timeUs: timeUs + answerDelayUs(context) })
  switch (frame.command) {
    case 'data_on':
    case 'data_off':
      dialogue.isSending = frame.command === 'data_on'
      return
    case 'send_header': {
      const head = { idCode: site.idCode, time: toC37118Time(timeUs) }
      answer(encodeC37118({ ...head, kind: 'header', text: `${site.node} at bus ${site.bus}` }))
      return
    }
    case 'send_configuration_1':
    case 'send_configuration_2':
      answer(configurationFrame(context, site, frame.command === 'send_configuration_1' ? 1 : 2, timeUs))
  }
}

function sendToPdc(
  context: StepContext,
  { link, node: srcNode, host }: PmuSite,
  frame: Pick<Message, 'payload' | 'timeUs' | 'purpose'>,
): void {
  const { pdc } = context.plan
  const carrier = { kind: 'udp', from: endpoint(host, c37118Port.udp), to: endpoint(pdc, c37118Port.udp) } as const
  send(context, { protocol: 'C37.118', link, carrier, srcNode, dstNode: pdc.node, ...frame, forged: null })
}
