/** Monitors the links of the outstations: hosts that connect, hosts that command, messages that cannot be read. */

import type { Fault } from '../link/octet-reader.ts'
import type { TcpFlow } from '../link/tcp-flow.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import { raise } from './alarms.ts'
import type { ControlCentre } from './context.ts'
import type { Finding } from './detection.ts'

/** A TCP connection to an outstation. */
interface Session {
  readonly flow: Pick<TcpFlow, 'client'>
}

/** Reports a host that has a session with an outstation and is not its master. */
export function watchMaster(context: ControlCentre, { node }: Outstation, { flow }: Session): void {
  if (flow.client.ip === context.plan.controlCentre.ip) return
  report(context, {
    detector: 'second_master',
    where: node,
    text: `${flow.client.ip} has a session with it, and its master is ${context.plan.controlCentre.ip}`,
    evidence: { host: flow.client.ip, master: context.plan.controlCentre.ip },
  })
}

/** Reports a command or a write from a host that is not the master. */
export function watchWriter(context: ControlCentre, { node }: Outstation, { flow }: Session, what: string): void {
  if (flow.client.ip === context.plan.controlCentre.ip) return
  report(context, {
    detector: 'unknown_writer',
    where: node,
    text: `${what} from ${flow.client.ip}, which is not its master`,
    evidence: { host: flow.client.ip, command: what },
  })
}

/** Reports that an outstation answers a command which the control centre did not send. */
export function watchAnswer(context: ControlCentre, { node }: Outstation, what: string): void {
  report(context, {
    detector: 'unordered_command',
    where: node,
    text: `answers ${what}, which the control centre did not send`,
    evidence: { command: what },
  })
}

/** Reports a message whose numbers break the rules of its protocol. */
export function reportSequence(context: ControlCentre, where: string, text: string): void {
  report(context, { detector: 'sequence', where, text, evidence: {} })
}

/** Reports a message that its receiver could not read. */
export function reportMalformed(context: ControlCentre, { protocol, link, srcNode }: Message, fault: Fault): void {
  report(context, {
    detector: 'malformed',
    where: link,
    text: `${fault.message} (${protocol} from ${srcNode})`,
    evidence: { code: fault.code, field: fault.field },
  })
}

function report(context: ControlCentre, finding: Finding): void {
  raise(context, `${finding.detector} ${finding.where}`, [finding])
}
