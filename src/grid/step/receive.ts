/** Takes messages in at the end to which they were sent, and lets outstations report what moved. */

import type { Message } from '../telecontrol/message.ts'
import { outstationStations, stations } from './stations/catalogue.ts'
import type { OutstationStation } from './stations/station.ts'
import type { StepContext } from './step-context.ts'

/** Hands a message to its station. */
export function receiveMessage(context: StepContext, message: Message, payload: Uint8Array): void {
  stations[message.protocol].receive(context, message, payload)
  reportSwitching(context)
}

/**
 * Lets outstations report breakers that moved, at once, so that a report takes its place on its connection by its time;
 * Modbus has no such report.
 */
export function reportSwitching(context: StepContext): void {
  for (const { branch, timeUs } of context.switched.splice(0)) {
    const outstation = context.plan.outstations.find(({ branches }) => branches.includes(branch))
    if (outstation === undefined) continue
    const station: OutstationStation = outstationStations[outstation.protocol]
    station.report?.(context, outstation, branch, timeUs)
  }
}
