/** Incidents and alarms of a simulation on their way to a syslog collector: in order, and a bounded number of them. */

import type { Alarm } from '../../../src/grid/control-centre/view.ts'
import type { StepOutput } from '../../../src/grid/engine.ts'
import { product } from '../../../src/grid/product.ts'
import { type GridSettings, readGridSettings } from '../../../src/grid/settings.ts'
import {
  type Notice,
  type NoticeSource,
  noticeOfAlarm,
  noticeOfDropped,
  noticeOfIncident,
} from '../../../src/grid/syslog/notice.ts'
import { createSyslogQueue, enqueue, hasRoom } from '../../../src/grid/syslog/queue.ts'
import { formatSyslog, maximumOctets } from '../../../src/grid/syslog/rfc5424.ts'
import { facilities } from '../../../src/grid/syslog/settings.ts'
import { loggerOfEnvironment } from '../../base/log.ts'
import type { GridEnv } from '../env.ts'
import { openCollector } from './collector.ts'

/** What became of the messages of one simulation, since its object began. */
export interface SyslogState {
  readonly connected: boolean
  /** Messages that a connection took. */
  readonly sent: number
  /** Attempts that failed since then: 0 while all is well. */
  readonly failures: number
  readonly waiting: number
  /** Messages that found no room. */
  readonly dropped: number
}

/** The way of one simulation to the collector. */
export interface Syslog {
  /** Sends what a step produced, as far as the settings ask for it; never waits. */
  readonly publish: (output: StepOutput, firstNumber: number) => void
  /** Undefined where no collector is set. */
  readonly state: () => SyslogState | undefined
  /** Lets go of everything that waits, and of the connection. */
  readonly close: () => void
}

/** A deployment without a collector. */
const noSyslog: Syslog = { publish: () => undefined, state: () => undefined, close: () => undefined }

/**
 * Opens the way to the collector that the settings name.
 *
 * @param source - The simulation, asked for at each message.
 */
export function openSyslog(env: GridEnv, source: () => NoticeSource): Syslog {
  const settings = settingsOf(env)
  const address = settings?.GRID_SYSLOG_ADDRESS
  if (settings === undefined || !address) return noSyslog
  const queue = createSyslogQueue()
  const put = openWriter(settings, source, (message) => enqueue(queue, message))

  /** What follows a loss comes after the message that tells of it. */
  function sayDropped(): void {
    if (queue.unsaid === 0 || !hasRoom(queue, maximumOctets)) return
    const count = queue.unsaid
    queue.unsaid = 0
    put(noticeOfDropped(count, Date.now() / 1000, source()))
  }

  const collector = openCollector(address, queue, loggerOfEnvironment(env), sayDropped)
  return {
    publish(output, firstNumber) {
      for (const notice of noticesOf(output, firstNumber, source(), settings)) put(notice)
      collector.begin()
    },
    state: () => ({
      connected: collector.isConnected(),
      sent: collector.sent(),
      failures: collector.failures(),
      waiting: queue.waiting.length,
      dropped: queue.dropped,
    }),
    close: collector.close,
  }
}

/** Settings that cannot be read are the Worker's to complain of; the object works without a collector. */
function settingsOf(env: GridEnv): GridSettings | undefined {
  try {
    return readGridSettings({ ...env })
  } catch {
    return undefined
  }
}

/** Writes notices as the settings ask for, numbered from 1. */
function openWriter(
  settings: GridSettings,
  source: () => NoticeSource,
  write: (message: Uint8Array) => void,
): (notice: Notice) => void {
  const fixed = {
    format: settings.GRID_SYSLOG_FORMAT,
    facility: facilities.indexOf(settings.GRID_SYSLOG_FACILITY),
    hostname: settings.GRID_SYSLOG_HOSTNAME,
    version: product.version,
  }
  let sequence = 0
  return (notice) => {
    sequence += 1
    write(formatSyslog(notice, sequence, { ...fixed, session: source().session }))
  }
}

/** Alarms and incidents of a step; clean messages are not sent to a collector. */
function* noticesOf(
  { incidents, events }: StepOutput,
  firstNumber: number,
  source: NoticeSource,
  { GRID_SYSLOG_RECORDS: records }: GridSettings,
): Generator<Notice> {
  if (records !== 'alarms') {
    for (const [index, incident] of incidents.entries()) {
      if (incident.status !== 'clean') yield noticeOfIncident(incident, firstNumber + index, source)
    }
  }
  if (records === 'incidents') return
  for (const { topic, data } of events) {
    // The engine's events of this topic are alarms, see `raise`.
    if (topic === 'alarm') yield noticeOfAlarm(data as Alarm, source)
  }
}
