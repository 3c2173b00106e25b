/** Masters of other makes at the field: pymodbus, c104 and yadnp3 read, operate and see a falsified value; pyc37 reads. */

import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FieldFront, type FieldPort, startFieldFront } from '#bin/field/front.ts'
import { type RunningBundle, startBundle } from '../support/bundle.ts'
import { type GridClient, gridClient, gridToken } from '../support/grid-service.ts'
import { must } from '../support/must.ts'

/** A Python with the masters: that of `.ci/run`, or the one that FIELD_PYTHON names. */
const python = process.env.FIELD_PYTHON ?? 'python3'
const modules = { modbus: 'pymodbus', iec104: 'c104', dnp3: 'opendnp3', phasor: 'pyc37' } as const
const script = new URL('field-masters.py', import.meta.url).pathname
const token = 'e'.repeat(32)
const run = promisify(execFile)

type Kind = keyof typeof modules

/** The reason to leave a master out; empty where it is installed. */
function reasonOf(kind: Kind): string {
  const isThere = spawnSync(python, ['-c', `import ${modules[kind]}`]).status === 0
  return isThere ? '' : ` (skipped: ${python} has no ${modules[kind]}; .ci/run installs it)`
}

const reasons: Readonly<Record<Kind, string>> = {
  modbus: reasonOf('modbus'),
  iec104: reasonOf('iec104'),
  dnp3: reasonOf('dnp3'),
  phasor: reasonOf('phasor'),
}

let bundle: RunningBundle
let client: GridClient
let front: FieldFront
let ports: readonly FieldPort[] = []

beforeAll(async () => {
  if (Object.values(reasons).every((reason) => reason !== '')) return
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken, FIELD_TOKEN: token } })
  client = gridClient(bundle.url)
  await client.post('/sim/config', { seed: 7, auto_pause_s: 0, load_noise: 0 })
  await new Promise<void>((resolve) => {
    front = startFieldFront({
      upstream: { url: bundle.runtimeUrl, token, simulation: 'default' },
      host: '127.0.0.1',
      port: 0,
      onOpen(opened) {
        ports = opened
        resolve()
      },
      warn: (line) => console.error(line),
    })
  })
})

afterAll(async () => {
  await front?.stop()
  await bundle?.stop()
})

/** Lets a master do its work at a station. */
async function master(kind: Kind, node: string, order: readonly string[] = []): Promise<Record<string, unknown>> {
  const { port, address } = must(ports.find((one) => one.node === node))
  const { stdout } = await run(python, [script, kind, `${port}`, `${address}`, ...order], { timeout: 60_000 })
  const line = must(stdout.split('\n').find((one) => one.startsWith('RESULT ')))
  return JSON.parse(line.slice('RESULT '.length)) as Record<string, unknown>
}

/** Waits for the next scan, which a read is answered from. */
async function nextScan(): Promise<void> {
  const { tick } = await client.simulation()
  const wanted = (Math.floor(Number(tick) / 20) + 1) * 20 + 1
  await expect
    .poll(async () => Number((await client.simulation()).tick), { interval: 100, timeout: 30_000 })
    .toBeGreaterThan(wanted)
}

async function voltageAt(bus: number): Promise<number> {
  const topology = (await (await client.get('/topology')).json()) as {
    grid: { buses: { id: number; vm_pu: number }[] }
  }
  return must(topology.grid.buses.find(({ id }) => id === bus)).vm_pu
}

describe.each([
  { kind: 'modbus', bus: 3 },
  { kind: 'iec104', bus: 4 },
  { kind: 'dnp3', bus: 5 },
] as const)('$kind', ({ kind, bus }) => {
  const reason = reasons[kind]

  it.skipIf(reason !== '')(
    `reads what the grid has, opens and closes a breaker, and sees a falsified value${reason}`,
    { timeout: 120_000 },
    async () => {
      const node = `RTU-${bus}`
      await nextScan()
      const first = await master(kind, node)
      expect(Math.abs(Number(first.voltage) - (await voltageAt(bus)))).toBeLessThan(0.03)
      expect(Math.abs(Number(first.flow))).toBeGreaterThan(0.05)
      expect(await master(kind, node, ['open'])).toMatchObject({ confirmed: true })
      await nextScan()
      await nextScan()
      expect(Math.abs(Number((await master(kind, node)).flow))).toBeLessThan(0.05)
      expect(await master(kind, node, ['close'])).toMatchObject({ confirmed: true })
      await nextScan()
      await client.enable('FDI_STEALTH', { bus, vm_shift_pu: 0.1 })
      await nextScan()
      await nextScan()
      expect(Number((await master(kind, node)).voltage) - (await voltageAt(bus))).toBeGreaterThan(0.05)
      await client.post('/attack/disable', {})
    },
  )
})

describe('pyc37', () => {
  it.skipIf(reasons.phasor !== '')(`reads the configuration of a unit and its phasors${reasons.phasor}`, async () => {
    const { station, volts, hertz } = await master('phasor', 'PMU-1')
    expect(station).toContain('PMU-1 BUS')
    expect(Math.abs(Number(volts) / 120 - 1)).toBeLessThan(0.15)
    expect(Math.abs(Number(hertz) - 60)).toBeLessThan(0.5)
  })
})
