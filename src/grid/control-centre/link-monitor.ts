/** The monitor on the links of the outstations: who speaks there, who commands, and what no receiver can read. */

import type { Fault } from '../link/octet-reader.ts'
import type { StepContext } from '../step/step-context.ts'
import type { Connection } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import { raise } from './alarms.ts'
import type { Finding } from './detection.ts'

/** Notices a host that speaks to an outstation and is not its master. */
export function watchMaster(context: StepContext, { node }: Outstation, { flow }: Connection): void {
  if (flow.client.ip === context.plan.controlCentre.ip) return
  report(context, {
    detector: 'second_master',
    where: node,
    text: `${flow.client.ip} has a session with it, and its master is ${context.plan.controlCentre.ip}`,
    evidence: { host: flow.client.ip, master: context.plan.controlCentre.ip },
  })
}

/** Notices a command or a write from a host that is not the master. */
export function watchWriter(
  context: StepContext,
  { node }: Outstation,
  { flow }: Connection,
  what: string,
): void {
  if (flow.client.ip === context.plan.controlCentre.ip) return
  report(context, {
    detector: 'unknown_writer',
    where: node,
    text: `${what} from ${flow.client.ip}, which is not its master`,
    evidence: { host: flow.client.ip, command: what },
  })
}

/** Notices that an outstation answers a command which the control centre has not sent. */
export function watchAnswer(context: StepContext, { node }: Outstation, what: string): void {
  report(context, {
    detector: 'unordered_command',
    where: node,
    text: `answers ${what}, which the control centre did not send`,
    evidence: { command: what },
  })
}

/** Says that a message broke the rules of its protocol's counters. */
export function reportSequence(context: StepContext, where: string, text: string): void {
  report(context, { detector: 'sequence', where, text, evidence: {} })
}

/** Says that the receiver of a message could not read it. */
export function reportMalformed(
  context: StepContext,
  { protocol, link, srcNode }: Message,
  fault: Fault,
): void {
  report(context, {
    detector: 'malformed',
    where: link,
    text: `${fault.message} (${protocol} from ${srcNode})`,
    evidence: { code: fault.code, field: fault.field },
  })
}

function report(context: StepContext, finding: Finding): void {
  raise(context, `${finding.detector} ${finding.where}`, [finding])
}
