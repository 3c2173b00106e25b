/** The exports of a session: which kind gives which octets, and that a capture without frames is refused at once. */

import { describe, expect, it } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeUtf8, encodeUtf8 } from '#base/utf8.ts'
import { readCapture } from '#grid/export/read-capture.ts'
import { type ExportKind, exportPieces } from '#grid/interface/exports.ts'
import type { SessionView } from '#grid/interface/session-view.ts'
import { appendRecords, createRecords } from '#grid/records/records.ts'
import { enable, runSteps, startTime } from '../../support/grid-session.ts'
import { sessionView } from '../../support/grid-session-view.ts'

/** A session whose first phasor streams are scaled from step 10 to step 20. */
const view = (() => {
  const started = sessionView(10)
  enable(started.world, 'SCALE', { scale_factor: 1.5 })
  for (const output of runSteps(started.world, 10).outputs) appendRecords(started.records, output)
  return started
})()

/** The whole of an export. */
function octetsOf(kind: ExportKind, of: SessionView = view, incident?: string): Uint8Array {
  const pieces = [...exportPieces(of, kind, { ...(incident !== undefined && { incident }) })]
  return concatBytes(...pieces.map((piece) => (typeof piece === 'string' ? encodeUtf8(piece) : piece)))
}

const textOf = (kind: ExportKind, of?: SessionView, incident?: string) => decodeUtf8(octetsOf(kind, of, incident))

function framesIn(kind: ExportKind, of?: SessionView, incident?: string) {
  return readCapture(octetsOf(kind, of, incident))
}

describe('exportPieces()', () => {
  it.each([
    ['pcap', 'd4c3b2a1'],
    ['pcap-before', 'd4c3b2a1'],
    ['pcapng', '0a0d0d0a'],
  ] as const)('begins %s with the magic number of its format', (kind, magic) => {
    const first = octetsOf(kind).subarray(0, 4)
    const hex = Array.from(first, (octet) => octet.toString(16).padStart(2, '0'))
    const swapped = [...hex].reverse()
    expect([hex.join(''), swapped.join('')]).toContain(magic)
  })

  it('writes the same messages on both sides of the attacker, with other octets where it changed them', () => {
    const after = framesIn('pcap')
    const before = framesIn('pcap-before')
    expect(after.length).toBe(before.length)
    expect(after.length).toBeGreaterThan(100)
    const differ = after.filter(({ bytes }, index) => String(bytes) !== String(before[index]?.bytes))
    const attacked = view.records.frames.items.filter(({ tap, status }) => tap === 'after' && status === 'attacked')
    expect(attacked.length).toBeGreaterThan(0)
    expect(differ).toHaveLength(attacked.length)
  })

  it('lists every retained incident, one line each; the extended form has more columns', () => {
    const [plain, extended] = [textOf('csv'), textOf('csv-extended')].map((text) => text.trimEnd().split('\n'))
    expect(plain).toHaveLength(view.records.incidents.items.length + 1)
    expect(extended).toHaveLength(view.records.incidents.items.length + 1)
    const columns = (lines: readonly string[] | undefined) => (lines?.[0] ?? '').split(',').length
    expect(columns(extended)).toBeGreaterThan(columns(plain))
  })

  it('labels the frames of the attack with its id', () => {
    const text = textOf('labels')
    expect(text).toContain('SCALE-1')
    expect(textOf('labels', sessionView(2))).not.toContain('SCALE')
  })

  it('bundles the session as STIX, with its id and the frames of the attacked messages', () => {
    const bundle: { readonly type: string; readonly objects: readonly { readonly type: string }[] } = JSON.parse(
      textOf('stix'),
    )
    expect(bundle.type).toBe('bundle')
    const types = new Set(bundle.objects.map(({ type }) => type))
    expect([...types]).toEqual(expect.arrayContaining(['attack-pattern', 'observed-data', 'artifact']))
  })

  it('exports one incident: STIX of it, and captures and labels of two seconds around it', () => {
    const long = sessionView(60)
    enable(long.world, 'SCALE', { scale_factor: 1.5 })
    for (const output of runSteps(long.world, 10).outputs) appendRecords(long.records, output)
    const attacked = long.records.incidents.items.find(({ status }) => status === 'attacked')
    const { objects }: { readonly objects: readonly { readonly type: string }[] } = JSON.parse(
      textOf('stix', long, attacked?.id),
    )
    expect(objects.filter(({ type }) => type === 'observed-data')).toHaveLength(1)
    const middleUs = (attacked?.timestamp ?? 0) * 1e6
    for (const kind of ['pcap', 'pcap-before', 'pcapng'] as const) {
      const frames = framesIn(kind, long, attacked?.id)
      expect(frames.length).toBeGreaterThan(50)
      expect(frames.length).toBeLessThan(framesIn(kind, long).length / 2)
      expect(frames.every(({ timeUs }) => Math.abs(timeUs - middleUs) < 2_010_000)).toBe(true)
    }
    const lines = (text: string) => text.trimEnd().split('\n').length
    expect(lines(textOf('labels', long, attacked?.id))).toBeLessThan(lines(textOf('labels', long)))
  })

  it.each(['stix', 'pcap', 'pcapng', 'labels'] as const)('refuses %s of an incident that is not retained', (kind) => {
    expect(() => exportPieces(view, kind, { incident: 'none' })).toThrow(expect.objectContaining({ code: 'not_found' }))
  })

  it('documents the session as it was made and commanded, up to its present step', () => {
    expect(JSON.parse(textOf('session'))).toEqual({
      format: 'sluice-grid-session',
      version: 1,
      configuration: view.session.configuration,
      commands: [{ kind: 'load', step: 0, scale: 1 }],
      steps: 20,
    })
  })

  it('adds the configurations of our own streams where they are missing, and none of an outside simulator', () => {
    const late = { ...view, records: createRecords() }
    // The frames behind the first step begin with data.
    const frames = view.records.frames.items.filter(({ timeUs }) => timeUs > (startTime + 0.1) * 1e6)
    appendRecords(late.records, { incidents: [], packets: [], frames })
    const kept = frames.filter(({ tap }) => tap === 'after').length
    expect(framesIn('pcap', late).length).toBeGreaterThan(kept)
    const external = { ...late.session.configuration, mode: 'external' } as const
    const fed = { ...late, session: { ...late.session, configuration: external } }
    expect(framesIn('pcap', fed)).toHaveLength(kept)
  })

  it.each(['pcap', 'pcap-before', 'pcapng', 'labels'] as const)(
    'refuses %s without frames at once, with capture_unavailable and the words of the contract',
    (kind) => {
      const own = sessionView(0)
      expect(() => exportPieces(own, kind)).toThrow(
        expect.objectContaining({ code: 'capture_unavailable', message: 'pcap file not available' }),
      )
      const fed = sessionView(0, { configuration: { mode: 'external' } })
      expect(() => exportPieces(fed, kind)).toThrow(
        expect.objectContaining({ code: 'capture_unavailable', message: 'pcap capture not active' }),
      )
    },
  )

  it.each(['csv', 'csv-extended', 'session', 'stix'] as const)('gives %s of a session without records', (kind) => {
    expect(octetsOf(kind, sessionView(0)).length).toBeGreaterThan(0)
  })
})
