/** Incidents and alarms at a real rsyslogd, over TCP and TLS, also while it is down and comes back. */

import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { makeFolder } from '../support/folder.ts'
import { type GridClient, gridClient, gridToken } from '../support/grid-service.ts'
import { prepareRsyslog, type Received, type Rsyslog, rsyslogMissing } from '../support/rsyslog.ts'
import { readCef } from '../support/syslog.ts'

const patience = { interval: 100 }

describe.skipIf(rsyslogMissing !== null)(`rsyslogd (${rsyslogMissing ?? 'installed here'})`, () => {
  const folder = makeFolder()
  let rsyslog: Rsyslog
  let bundle: RunningBundle
  let client: GridClient

  beforeAll(async () => {
    rsyslog = await prepareRsyslog(folder)
    await rsyslog.start()
    // Read at each start of the runtime; a deployment trusts public authorities only.
    vi.stubEnv('NODE_EXTRA_CA_CERTS', rsyslog.certificate)
    bundle = await startBundle({ worker: 'grid', rebuild: true, vars: vars(`tcp://127.0.0.1:${rsyslog.tcpPort}`) })
    client = gridClient(bundle.url)
  })

  afterAll(async () => {
    vi.unstubAllEnvs()
    await bundle?.stop()
    await rsyslog?.stop()
  })

  it('gets every incident and alarm once and in order over TCP', async () => {
    await client.standAt(60)
    await client.enable('GOOSE_TRIP_SPOOF')
    await client.enable('DROP')
    await client.step(100)
    const incidents = await incidentsOf(client)
    await expect.poll(() => rsyslog.received().length, patience).toBe(await expectedCount(client))
    const received = rsyslog.received()
    expect(parameters(received, 'incident', 'id')).toEqual(incidents.map(({ id }) => id))
    expect(parameters(received, 'alarm', 'detector')).toContain('breaker')
    expect(sequences(received)).toEqual(received.map((_, index) => index + 1))
    const trip = received.find(({ data }) => data.includes('GOOSE_TRIP_SPOOF'))
    expect(trip).toMatchObject({
      facility: 'local0',
      hostname: 'sluice',
      appName: 'sluice-grid',
      procId: (await client.simulation()).session_id,
      msgId: 'incident',
    })
    expect(trip?.data).toContain('simulation="default"')
    expect((await client.simulation()).integrations.syslog).toBe(true)
  })

  it('gets what happened while it was down once it runs again', async () => {
    const before = rsyslog.received().length
    await rsyslog.stop()
    await client.step(50)
    const waiting = (await expectedCount(client)) - before
    expect(waiting).toBeGreaterThan(0)
    await expect
      .poll(async () => (await client.simulation()).syslog, patience)
      .toMatchObject({ connected: false, dropped: 0, waiting })
    await rsyslog.start()
    await expect.poll(() => rsyslog.received().length, patience).toBe(before + waiting)
    const received = rsyslog.received()
    expect(sequences(received)).toEqual(received.map((_, index) => index + 1))
  })

  it('understands CEF over TLS, and gets nothing where its certificate has another name', async () => {
    const before = rsyslog.received().length
    await bundle.restart(vars(`tls://localhost:${rsyslog.tlsPort}`, 'cef'))
    await client.standAt(60)
    await client.enable('DROP')
    await client.step(40)
    const expected = before + (await expectedCount(client))
    await expect.poll(() => rsyslog.received().length, patience).toBe(expected)
    const lines = rsyslog
      .received()
      .slice(before)
      .map(({ message }) => readCef(message))
    const incidents = await incidentsOf(client)
    expect(lines.flatMap(({ extension }) => extension.externalId ?? [])).toEqual(incidents.map(({ id }) => id))
    await bundle.restart(vars(`tls://127.0.0.1:${rsyslog.tlsPort}`))
    await client.standAt(60)
    await client.enable('DROP')
    await client.step(40)
    const failures = async () => ((await client.simulation()).syslog as { readonly failures: number }).failures
    await expect.poll(failures, patience).toBeGreaterThan(1)
    expect((await client.simulation()).syslog).toMatchObject({ connected: false, sent: 0 })
    expect(rsyslog.received().length).toBe(expected)
  })
})

function vars(address: string, format = 'rfc5424') {
  return { GRID_TOKEN: gridToken, GRID_SYSLOG_ADDRESS: address, GRID_SYSLOG_FORMAT: format }
}

async function incidentsOf(client: GridClient) {
  return (await client.incidents()).filter(({ status }) => status !== 'clean')
}

async function expectedCount(client: GridClient): Promise<number> {
  const view = (await (await client.get('/grid/view')).json()) as { readonly alarm_count: number }
  return (await incidentsOf(client)).length + view.alarm_count
}

function parameters(received: readonly Received[], kind: string, name: string): readonly string[] {
  const pattern = new RegExp(`\\[${kind}@32473 [^\\]]*\\b${name}="([^"]*)"`)
  return received.flatMap(({ data }) => pattern.exec(data)?.[1] ?? [])
}

function sequences(received: readonly Received[]): readonly number[] {
  return received.map(({ data }) => Number(/sequenceId="(\d+)"/.exec(data)?.[1]))
}
