/** The field: masters at sockets read and command outstations of a running simulation, and others change nothing. */

import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FieldFront, type FieldPort, startFieldFront } from '#bin/field/front.ts'
import type { SessionDocument } from '#grid/configuration.ts'
import { createWorld, findTelecontrol, replay } from '#grid/engine.ts'
import { captureFrames } from '#grid/export/capture.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { encodeC37118, toC37118Time } from '#grid/protocols/c37118.ts'
import { decodeModbusResponse, encodeModbusRequest, fromRegisters } from '#grid/protocols/modbus.ts'
import type { ModbusRequestPdu } from '#grid/protocols/modbus-pdu.ts'
import { streamConfigurations } from '#grid/telecontrol/phasor-configuration.ts'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { type GridClient, gridClient, gridToken } from '../../support/grid-service.ts'
import { must, mustDecode } from '../../support/must.ts'
import { sweep } from '../../support/sweep.ts'
import { once } from '../../support/wait.ts'

const token = 'e'.repeat(32)
const patience = { interval: 20, timeout: 10_000 }

let bundle: RunningBundle
let client: GridClient
let front: FieldFront
let ports: readonly FieldPort[] = []
const warnings: string[] = []
const bounds = { messageWithinMs: 300 }

/** Starts a front on any ports; settles when the stations are open. */
async function startFront(simulation = 'default', withToken = token): Promise<FieldFront> {
  const upstream = { url: bundle.runtimeUrl, token: withToken, simulation }
  return new Promise((resolve, reject) => {
    const made: FieldFront = startFieldFront({
      upstream,
      host: '127.0.0.1',
      port: 0,
      bounds,
      onOpen(opened) {
        ports = opened
        resolve(made)
      },
      warn(line) {
        warnings.push(line)
        reject(new Error(line))
        void made.stop()
      },
    })
  })
}

beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken, FIELD_TOKEN: token } })
  client = gridClient(bundle.url)
  await client.standAt(38)
  front = await startFront()
})

afterAll(async () => {
  await front?.stop()
  await bundle?.stop()
})

/** Connects to a station. */
async function dial(node: string): Promise<Socket> {
  const { port } = must(ports.find((one) => one.node === node))
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Asks a Modbus station, and gives its answer. */
async function ask(socket: Socket, pdu: ModbusRequestPdu, transactionId = 1) {
  socket.write(encodeModbusRequest({ transactionId, unitId: 1, pdu }))
  const [octets] = (await once(socket, 'data')) as [Buffer]
  return mustDecode(decodeModbusResponse(octets)).pdu
}

const readings = { kind: 'read_input_registers', address: 0, quantity: 6 } as const

function firstValue(pdu: Awaited<ReturnType<typeof ask>>): number {
  return pdu.kind === 'read_input_registers' ? fromRegisters(pdu.values[0] ?? 0, pdu.values[1] ?? 0) : Number.NaN
}

describe('the field', () => {
  it('answers a read at once from the last scan, and a falsified one while an attack lasts', async () => {
    const socket = await dial('RTU-3')
    const { measured } = (await (await client.get('/grid/view')).json()) as {
      measured: { values: Record<string, number> }
    }
    expect(firstValue(await ask(socket, readings))).toBeCloseTo(must(measured.values.V_3), 6)
    await client.enable('FDI_STEALTH', { bus: 3, vm_shift_pu: 0.05 })
    await client.step(45)
    const incidents = await client.incidents()
    expect(incidents.some(({ attack_type, src_node }) => attack_type === 'FDI_STEALTH' && src_node === 'RTU-3')).toBe(
      true,
    )
    const truth = (await (await client.get('/topology')).json()) as { grid: { buses: { id: number; vm_pu: number }[] } }
    const vm = must(truth.grid.buses.find(({ id }) => id === 3)).vm_pu
    expect(firstValue(await ask(socket, readings)) - vm).toBeGreaterThan(0.03)
    await client.post('/attack/disable', {})
    socket.destroy()
  })

  it('opens a breaker, and the next step has it open', async () => {
    const socket = await dial('RTU-3')
    const pdu = { kind: 'write_single_coil', address: 0, value: false } as const
    expect(await ask(socket, pdu)).toEqual(pdu)
    await client.step(2)
    const topology = (await (await client.get('/topology')).json()) as { grid: { breakers: { state: string }[] } }
    expect(topology.grid.breakers.filter(({ state }) => state === 'open')).toHaveLength(1)
    expect(await ask(socket, { ...pdu, value: true })).toMatchObject({ value: true })
    socket.destroy()
    await client.step(5)
    const labels = (await (await client.get('/export/labels')).text()).trim().split('\n')
    const outside = labels.map((line) => JSON.parse(line)).filter(({ origin }) => origin === 'field')
    expect(outside.length).toBeGreaterThan(10)
    expect(new Set(outside.map(({ protocol }) => protocol))).toEqual(new Set(['TCP', 'Modbus']))
  })

  it('sends phasors to a master that has asked for them', async () => {
    const socket = await dial('PMU-4')
    const time = toC37118Time(1_764_000_000_000_000)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    for (const command of ['send_configuration_2', 'data_on'] as const) {
      socket.write(encodeC37118({ idCode: 4, time, kind: 'command', command, extension: new Uint8Array(0) }))
    }
    await expect.poll(() => Buffer.concat(chunks)[1], patience).toBe(0x31)
    await client.step(20)
    await expect.poll(() => Buffer.concat(chunks).includes(Buffer.from([0xaa, 0x01])), patience).toBe(true)
    socket.destroy()
  })

  it('closes garbage at once and half a message after a while, keeps few sockets, and the simulation sees none', async () => {
    await client.step(1)
    const before = await client.simulation()
    const garbage = await dial('RTU-3')
    garbage.write('GET / HTTP/1.1\r\n\r\n')
    const half = await dial('RTU-1')
    half.write(Buffer.from('6804', 'hex'))
    await Promise.all([garbage, half].map((socket) => once(socket, 'close')))
    const crowd = await Promise.all(Array.from({ length: 40 }, () => dial('RTU-3')))
    await expect.poll(() => crowd.filter(({ closed }) => !closed).length, patience).toBe(8)
    for (const socket of crowd) socket.destroy()
    await client.step(1)
    const { field = [] } = (await (await client.get('/export/session')).json()) as SessionDocument
    expect(field.at(-1)?.step).toBeLessThanOrEqual(Number(before.tick))
    // A connection that is over makes room for another.
    await expect
      .poll(async () => {
        const socket = await dial('RTU-3')
        const answer = await Promise.race([ask(socket, readings).catch(() => undefined), once(socket, 'close')])
        socket.destroy()
        return Array.isArray(answer) ? undefined : answer?.kind
      }, patience)
      .toBe('read_input_registers')
  })

  it('leaves no trace of a scan of all its ports: connections that end at once, probes, halves of messages', async () => {
    const fieldLog = async () => {
      const { field = [] } = (await (await client.get('/export/session')).json()) as SessionDocument
      return field
    }
    // A socket of the test before may have ended, and its end not be logged yet.
    const open = async () => {
      const events = (await fieldLog()).map(({ event }) => event)
      return (
        events.filter((event) => typeof event === 'object' && 'open' in event).length -
        events.filter((event) => event === 'close').length
      )
    }
    await expect.poll(open, patience).toBe(0)
    const before = await fieldLog()
    const probes = [
      '',
      '\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      '\x16\x03\x01\x00\xa5',
      '\x68\x04',
      '\x05\x64',
      '\xaa\x01',
    ]
    const total = sweep(10_000, 1_000)
    for (let from = 0; from < total; from += 100) {
      const wave = Array.from({ length: 100 }, async (_, at) => {
        const socket = await dial(must(ports[(from + at) % ports.length]).node)
        const probe = must(probes[at % probes.length])
        if (probe === '') socket.resetAndDestroy()
        else socket.end(Buffer.from(probe, 'latin1'))
        socket.resume()
        if (!socket.closed) await once(socket, 'close')
      })
      await Promise.all(wave)
    }
    expect(await fieldLog()).toEqual(before)
    const socket = await dial('RTU-3')
    expect((await ask(socket, readings)).kind).toBe('read_input_registers')
    socket.destroy()
  })

  it('is computed again to the octet from the document of its session', async () => {
    await client.step(10)
    const document = (await (await client.get('/export/session')).json()) as SessionDocument
    expect(must(document.field).length).toBeGreaterThan(8)
    const world = createWorld(document.configuration)
    const outputs = [...replay(world, document, document.steps)]
    const plan = findTelecontrol(world)
    const configurations = new Map(
      plan.pmus.flatMap(({ idCode, link }) => {
        const configuration = streamConfigurations(plan, document.configuration.pmu_rate).get(link)
        return configuration === undefined ? [] : [[idCode, configuration] as const]
      }),
    )
    const frames = outputs.flatMap((output) => output.frames)
    const pcap = Buffer.from(await client.download('/export/pcap'))
    expect(pcap.equals(Buffer.concat([...encodePcap(captureFrames(frames, configurations))]))).toBe(true)
    const ids = (await client.incidents()).map(({ id }) => id)
    expect(ids).toEqual(outputs.flatMap(({ incidents }) => incidents.map(({ id }) => id)))
    await bundle.restart({ GRID_TOKEN: gridToken, FIELD_TOKEN: token })
    expect(Buffer.from(await client.download('/export/pcap')).equals(pcap)).toBe(true)
  })

  it('refuses a front without its token', async () => {
    await expect(startFront('default', 'wrong')).rejects.toThrow('the token is another, expected the FIELD_TOKEN')
  })
})
