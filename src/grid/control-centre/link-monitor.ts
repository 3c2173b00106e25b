/** Watches the links of the outstations for strange masters, strange commands and messages that cannot be read. */

import type { Fault } from '../link/octet-reader.ts'
import type { TcpFlow } from '../link/tcp-flow.ts'
import type { Message } from '../telecontrol/message.ts'
import type { Outstation } from '../telecontrol/telecontrol.ts'
import { raise } from './alarms.ts'
import type { ControlCentre } from './context.ts'
import { type Finding, found } from './detection.ts'

/** A TCP connection to an outstation. */
interface Session {
  readonly flow: Pick<TcpFlow, 'client'>
}

/** Reports a host that has a session with an outstation and is not its master. */
export function watchMaster(context: ControlCentre, { node }: Outstation, { flow }: Session): void {
  const [host, master] = [flow.client.ip, context.plan.controlCentre.ip]
  if (host === master) return
  const text = `${host} has a session with it, and its master is ${master}`
  report(context, found('second_master', node, text, { host, master }))
}

/** Reports a command or a write from a host that is not the master. */
export function watchWriter(context: ControlCentre, { node }: Outstation, { flow }: Session, what: string): void {
  const host = flow.client.ip
  if (host === context.plan.controlCentre.ip) return
  const text = `${what} from ${host}, which is not its master`
  report(context, found('unknown_writer', node, text, { host, command: what }))
}

/** Reports an outstation that answers a command which the control centre did not send. */
export function watchAnswer(context: ControlCentre, { node }: Outstation, what: string): void {
  const text = `answers ${what}, which the control centre did not send`
  report(context, found('unordered_command', node, text, { command: what }))
}

/** Reports a message whose numbers break the rules of its protocol. */
export function reportSequence(context: ControlCentre, where: string, text: string): void {
  report(context, found('sequence', where, text))
}

/** Reports a message that its receiver could not read. */
export function reportMalformed(context: ControlCentre, { protocol, link, srcNode }: Message, fault: Fault): void {
  const text = `${fault.message} (${protocol} from ${srcNode})`
  report(context, found('malformed', link, text, { code: fault.code, field: fault.field }))
}

function report(context: ControlCentre, finding: Finding): void {
  raise(context, `${finding.detector} ${finding.where}`, [finding])
}
