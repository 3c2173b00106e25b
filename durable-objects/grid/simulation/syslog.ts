/** Sends incidents and alarms of a simulation to a syslog collector: in order, through a bounded queue. */

import { product } from '#grid/configuration.ts'
import type { Alarm } from '#grid/contract/grid.ts'
import type { StepOutput } from '#grid/engine.ts'
import { type GridSettings, readGridSettings } from '#grid/settings.ts'
import { describeAlarm, describeIncident, describeLoss, type Notice, type NoticeSource } from '#grid/syslog/notice.ts'
import { createSyslogQueue, enqueue, hasRoom } from '#grid/syslog/queue.ts'
import { formatSyslog, maximumOctets } from '#grid/syslog/rfc5424.ts'
import { facilities } from '#grid/syslog/settings.ts'
import { loggerOfEnvironment } from '../../base/log.ts'
import type { GridEnv } from '../env.ts'
import { openCollector } from './collector.ts'

/** Opens the syslog output to the collector that the settings name; undefined without one. */
export function openSyslog(env: GridEnv, source: () => NoticeSource) {
  const settings = readSettings(env)
  const address = settings?.GRID_SYSLOG_ADDRESS
  if (settings === undefined || !address) return undefined
  const queue = createSyslogQueue()
  const put = openWriter(settings, source, (message) => enqueue(queue, message))

  /** Reports dropped messages before any later message, as soon as the queue has room. */
  function reportDropped(): void {
    if (queue.unreported === 0 || !hasRoom(queue, maximumOctets)) return
    const count = queue.unreported
    queue.unreported = 0
    put(describeLoss(count, Date.now() / 1000, source()))
  }

  const collector = openCollector({ address, queue, logger: loggerOfEnvironment(env), onTaken: reportDropped })
  return {
    /** Sends what the settings select of a step; never waits. */
    publish(output: StepOutput, firstNumber: number) {
      for (const notice of describeStep(output, firstNumber, source(), settings)) put(notice)
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

/** The settings; undefined when they are wrong, which the Worker reports: the object then works without a collector. */
function readSettings(env: GridEnv): GridSettings | undefined {
  try {
    return readGridSettings({ ...env })
  } catch {
    return undefined
  }
}

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
function* describeStep(
  { incidents, events }: StepOutput,
  firstNumber: number,
  source: NoticeSource,
  { GRID_SYSLOG_RECORDS: records }: GridSettings,
): Generator<Notice> {
  if (records !== 'alarms') {
    for (const [index, incident] of incidents.entries()) {
      if (incident.status !== 'clean') yield describeIncident(incident, firstNumber + index, source)
    }
  }
  if (records === 'incidents') return
  for (const { topic, data } of events) {
    // The engine's events of this topic are alarms, see `raise`.
    if (topic === 'alarm') yield describeAlarm(data as Alarm, source)
  }
}
