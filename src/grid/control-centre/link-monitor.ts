/** The monitor on the links of the outstations: who speaks there, who commands, and what no receiver can read. */

import type { Fault } from '../link/octets.ts'
import type { Turn } from '../step/step-context.ts'
import type { Connection } from '../step/world.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import { raise } from './alarms.ts'
import type { Finding } from './detection.ts'

/** Notices a host that speaks to an outstation and is not its master. */
export function watchMaster(turn: Turn, { node }: Outstation, { flow }: Connection): void {
  if (flow.client.ip === turn.plan.controlCentre.ip) return
  report(turn, {
    detector: 'second_master',
    where: node,
    text: `${flow.client.ip} has a session with it, and its master is ${turn.plan.controlCentre.ip}`,
    evidence: { host: flow.client.ip, master: turn.plan.controlCentre.ip },
  })
}

/** Notices a command or a write from a host that is not the master. */
export function watchWriter(turn: Turn, { node }: Outstation, { flow }: Connection, what: string): void {
  if (flow.client.ip === turn.plan.controlCentre.ip) return
  report(turn, {
    detector: 'unknown_writer',
    where: node,
    text: `${what} from ${flow.client.ip}, which is not its master`,
    evidence: { host: flow.client.ip, command: what },
  })
}

/** Notices that an outstation answers a command which the control centre has not sent. */
export function watchAnswer(turn: Turn, { node }: Outstation, what: string): void {
  report(turn, {
    detector: 'unordered_command',
    where: node,
    text: `answers ${what}, which the control centre did not send`,
    evidence: { command: what },
  })
}

/** Says that a message broke the rules of its protocol's counters. */
export function reportSequence(turn: Turn, where: string, text: string): void {
  report(turn, { detector: 'sequence', where, text, evidence: {} })
}

/** Says that the receiver of a message could not read it. */
export function reportMalformed(turn: Turn, { protocol, link, srcNode }: Message, fault: Fault): void {
  report(turn, {
    detector: 'malformed',
    where: link,
    text: `${fault.message} (${protocol} from ${srcNode})`,
    evidence: { code: fault.code, field: fault.field },
  })
}

function report(turn: Turn, finding: Finding): void {
  raise(turn, `${finding.detector} ${finding.where}`, [finding])
}
