/** Exported captures, given to tshark and capinfos: everything is understood, nothing is malformed. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { concatBytes } from '#base/bytes.ts'
import { decodeHex } from '#base/hex.ts'
import { type CaptureFrame, captureFrames } from '#grid/export/capture.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { encodePcapng } from '#grid/export/pcapng.ts'
import { connectTcp, newTcpFlow } from '#grid/link/tcp-flow.ts'
import { decodeC37118, encodeC37118 } from '#grid/protocols/c37118.ts'
import type { C37118Format } from '#grid/protocols/c37118-configuration.ts'
import { processBusVlan } from '#grid/protocols/process-bus.ts'
import { encodeSampledValues } from '#grid/protocols/sampled-values.ts'
import { applyCommand } from '#grid/step/apply-command.ts'
import type { PacketRecord } from '#grid/types.ts'
import { makeFolder } from '../support/folder.ts'
import { captureRecords, cleanFrames, configurationOf, dataFrame, station } from '../support/grid-capture.ts'
import { encodeUdpFrame, newHosts, sendSegment } from '../support/grid-frames.ts'
import { runSteps, startWorld } from '../support/grid-session.ts'
import { mmsAssociation, mmsDialogue } from '../support/mms-dialogue.ts'
import vectors from '../vectors/grid-frames.json' with { type: 'json' }

const isThere = ['tshark', 'capinfos'].every((name) => spawnSync(name, ['--version']).status === 0)
const reason = isThere ? '' : ' (skipped: tshark and capinfos are not installed; apt-get install tshark)'

/** Writes a file, runs a program on it and gives back what it printed. */
function run(program: string, before: readonly string[], file: Uint8Array, after: readonly string[] = []): string {
  const folder = makeFolder(onTestFinished)
  const path = join(folder, 'capture')
  writeFileSync(path, file)
  const { stdout, status, stderr } = spawnSync(program, [...before, path, ...after], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`)
  return stdout
}

const checks = ['ip.check_checksum', 'tcp.check_checksum', 'udp.check_checksum'].flatMap((name) => [
  '-o',
  `${name}:TRUE`,
])

/** Dissects a capture into one row of fields per frame; several values of one field are joined by commas. */
function dissectAll(file: Uint8Array, ...fields: readonly string[]): string[][] {
  const after = ['-T', 'fields', ...fields.flatMap((field) => ['-e', field])]
  return run('tshark', ['-n', ...checks, '-r'], file, after)
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t'))
}

const problems = [
  '_ws.malformed',
  'ip.checksum.status',
  'tcp.checksum.status',
  'udp.checksum.status',
  '_ws.expert.message',
]

function recordOf({ timeUs, bytes, tap, status, label }: CaptureFrame): PacketRecord {
  const ends = { src: 'a', dst: 'b', flow: 'a b' }
  const rest = { frameNo: 1, protocol: 'C37.118', payloadLength: bytes.length, latencyMs: 0 }
  return { ...rest, ...ends, timeUs, bytes, tap, status, label }
}

const records = captureRecords()
const configurations = new Map([4, 5].map((id) => [id, configurationOf(id)]))
const sightings = [...captureFrames(records, configurations)]
/** The frames of one tap: by default the receivers'. */
const frames = sightings.filter(({ tap }) => tap === 'after')
const pcap = concatBytes(...encodePcap(sightings))

describe.skipIf(!isThere)(`tshark${reason}`, () => {
  it('finds no malformed frame, no wrong checksum and nothing to warn of in a full capture', () => {
    const rows = dissectAll(pcap, ...problems)
    expect(rows).toHaveLength(frames.length)
    // 1 is good; what is left of the experts is talk about the beginning and end of connections.
    const wrong = rows.flatMap(([malformed, ip, tcp, udp, expert = ''], at) => {
      const status = [ip, tcp, udp].filter((value) => value !== '' && value !== '1')
      const rest = expert
        .split(',')
        .filter((text) => !/^($|Connection (establish|finish)|This frame (initiates|undergoes))/.test(text))
      return malformed !== '' || status.length > 0 || rest.length > 0
        ? [`${at + 1}: ${malformed} ${status} ${rest}`]
        : []
    })
    expect(wrong).toEqual([])
  })

  it('reads a session with IEC 61850 stations: nothing is malformed, and every frame has its protocol', () => {
    const world = startWorld({ iec61850: 3 })
    const before = runSteps(world, 60)
    applyCommand(world, { kind: 'switch', step: world.step, breaker: 'CB-6-11', closed: false })
    const own = [...before.frames, ...runSteps(world, 40).frames]
    const rows = dissectAll(
      concatBytes(...encodePcap(captureFrames(own, new Map()))),
      '_ws.malformed',
      'frame.protocols',
      'tcp.len',
    )
    expect(rows).toHaveLength(own.length)
    expect(rows.flatMap(([malformed], at) => (malformed === '' ? [] : [`${at + 1}: ${malformed}`]))).toEqual([])
    const names: Readonly<Record<string, string>> = { MMS: 'mms', GOOSE: 'goose', SV: 'sv' }
    const wrong = rows.flatMap(([, protocols = ''], at) => {
      const name = names[own[at]?.protocol ?? '']
      // The frames that begin an association are of the layers below.
      const isKnown = name === undefined || protocols.split(':').some((one) => one === name || one === 'cotp')
      return isKnown ? [] : [`${at + 1}: ${protocols}`]
    })
    expect(wrong).toEqual([])
  })

  it('names the protocol of every frame that carries a message', () => {
    const names: Readonly<Record<string, string>> = {
      Modbus: 'modbus',
      DNP3: 'dnp3',
      IEC104: 'iec60870_104',
      'C37.118': 'synphasor',
      GOOSE: 'goose',
      ARP: 'arp',
    }
    const rows = dissectAll(pcap, 'frame.protocols', 'tcp.len')
    const wrong = rows.flatMap(([protocols = '', length], at) => {
      const name = names[frames[at]?.record?.protocol ?? 'C37.118'] ?? ''
      return length === '0' || protocols.split(':').includes(name) ? [] : [`${at + 1}: ${protocols}`]
    })
    expect(wrong).toEqual([])
  })

  it('reads the values that were encoded', () => {
    const only = (filter: string, ...fields: string[]) => {
      const after = ['-Y', filter, '-T', 'fields', ...fields.flatMap((field) => ['-e', field])]
      return run('tshark', ['-n', '-r'], pcap, after).trim().split('\n')
    }
    expect(only('modbus.func_code == 16 && modbus.reference_num', 'modbus.regval_uint16')[0]).toBe('16968,0')
    expect(only('modbus.exception_code', 'modbus.exception_code')).toEqual(['2'])
    expect(only('dnp3.al.func == 5', 'dnp3.ctl.trip')).toEqual(['2'])
    expect(only('iec60870_asdu.typeid == 36', 'iec60870_asdu.float')).toEqual(['-1.25'])
    expect(only('iec60870_asdu.causetx == 47', 'iec60870_asdu.nega')).toEqual(['1'])
    expect(only('goose.stNum == 2', 'goose.sqNum')).toEqual(['0', '1'])
    expect(
      only('synphasor.frsize && synphasor.idcode_stream_source == 4 && synphasor.command', 'synphasor.command'),
    ).toEqual(['0x0003', '0x0005', '0x0002', '0x0001'])
  })

  it('decodes the values of a stream whose capture began with data, because the export put CFG-2 in front', () => {
    const rows = run('tshark', ['-n', '-V', '-Y', 'udp.port == 4713', '-r'], pcap)
    expect(rows.match(/Configuration Frame 2/g)?.length).toBeGreaterThan(0)
    expect(rows.match(/60\.012/g)).toHaveLength(3)
    expect(rows).not.toContain('no configuration frame found')
  })

  const formats: readonly Partial<C37118Format>[] = [
    {},
    { phasors: 'rectangular' },
    { phasorNumber: 'integer', analogNumber: 'integer', frequencyNumber: 'integer' },
    { phasors: 'rectangular', phasorNumber: 'integer' },
  ]
  it.each(formats)('reads phasors as %j', (format) => {
    const configuration = configurationOf(5, format)
    const bytes = [
      encodeC37118({ kind: 'configuration_2', idCode: 5, time: dataFrame(5, 0).time, configuration }),
      encodeC37118(dataFrame(5, 0), configuration),
    ].map((payload) => encodeUdpFrame(station(15, 4713), station(16, 4713), payload, newHosts()))
    const text = run('tshark', ['-n', '-V', '-r'], concatBytes(...encodePcap(cleanFrames(bytes))))
    expect(text).not.toMatch(/Malformed/)
    const magnitude = /Phasor #1[^\n]*?([\d.]+)\s*V/.exec(text)
    expect(Number(magnitude?.[1]) / 132_790.5).toBeCloseTo(1, 3)
  })

  it('shows the label of an attacked frame as its comment, on its side of the attacker', () => {
    const label = {
      attack_id: 'NOISE-1',
      attack_type: 'NOISE',
      technique: { id: 'T1692.002', legacy_id: 'T0856', name: 'x', tactic: 'impair-process-control' },
      changes: [{ field: 'pmus.0.frequencyHz', old: 60, new: 60.1 }],
    }
    const [first] = cleanFrames([new Uint8Array(60)])
    if (first === undefined) throw new Error('expected a frame')
    const attacked: readonly CaptureFrame[] = [
      { ...first, tap: 'before' },
      { ...first, status: 'attacked', label },
    ]
    const file = concatBytes(...encodePcapng(attacked))
    expect(dissectAll(file, 'frame.interface_name', 'frame.comment', 'frame.time_epoch')).toEqual([
      ['tap-before', '', '1795190400.000000000'],
      [
        'tap-after',
        'status=attacked attack=NOISE attack_id=NOISE-1 technique=T1692.002 legacy=T0856; pmus.0.frequencyHz: 60 -> 60.1',
        '1795190400.000000000',
      ],
    ])
  })

  const golden = (() => {
    const frame = vectors.golden_frames.find(({ group }) => group === 'c37118_udp4713')
    const outcome = decodeC37118(decodeHex(frame?.payload_hex ?? ''))
    if (!outcome.ok || outcome.value.kind !== 'configuration_2') throw new Error('expected a configuration')
    return outcome.value.configuration
  })()

  const effects: readonly (readonly [fields: string, expected: RegExp])[] = [
    ['frame.protocols', /:data$/],
    ['_ws.expert.message', /checksum/i],
    ['synphasor.conf.numpmu', /^$/],
    ['_ws.expert.message', /checksum/i],
    ['_ws.expert.message', /PMU not sync/],
    ['synphasor.data.data_modified', /^(1|True)$/],
    ['synphasor.actual_frequency_value', /^$/],
    ['_ws.malformed', /GOOSE/i],
    ['_ws.expert.message', /BER/],
    ['_ws.malformed', /^$/],
    ['_ws.malformed', /^$/],
    ['_ws.malformed', /./],
    ['frame.protocols', /^(?!.*modbus)/],
    ['modbus.func_code', /90/],
    ['_ws.malformed', /^$/],
    ['frame.protocols', /^(?!.*modbus)/],
  ]
  it.each(vectors.negative_frames.map((frame, at) => ({ ...frame, at })))(
    '$effect_in_tshark_4_0',
    ({ frame_hex, at }) => {
      const [field, expected] = effects[at] ?? ['', /never/]
      const [bare] = cleanFrames([decodeHex(frame_hex)])
      if (bare === undefined) throw new Error('expected a frame')
      // All but the frame that is there to lack it are shown with their configuration, as the export adds it.
      const announced = captureFrames([recordOf(bare)], at >= 3 && at <= 6 ? new Map([[2, golden]]) : new Map())
      const [value] = dissectAll(concatBytes(...encodePcap(announced)), field).at(-1) ?? []
      expect(value ?? '').toMatch(expected)
    },
  )
})

describe.skipIf(!isThere)(`tshark, of sampled values${reason}`, () => {
  it('reads identity, counter, synchronisation and every value', () => {
    const values = [1_000, -500, 6_350_853].map((value) => ({ value, quality: 0 }))
    const asdu = { id: 'MU0101', sampleCount: 3_999, configurationRevision: 1, synchronization: 2, values }
    const ends = { destination: '01:0c:cd:04:00:01', source: '02:00:5e:04:00:01' }
    const bytes = encodeSampledValues({
      ...ends,
      vlan: processBusVlan,
      appId: 0x4000,
      isSimulated: false,
      asdus: [asdu],
    })
    const file = concatBytes(...encodePcap(cleanFrames([bytes])))
    const [row] = dissectAll(
      file,
      'frame.protocols',
      'sv.svID',
      'sv.smpCnt',
      'sv.confRev',
      'sv.smpSynch',
      '_ws.malformed',
    )
    expect(row?.[0]).toContain('sv')
    expect(row?.slice(1)).toEqual(['MU0101', '3999', '1', '2', ''])
    expect(run('tshark', ['-n', '-V', '-r'], file)).toContain('000003e800000000fffffe0c000000000060e80500000000')
  })
})

describe.skipIf(!isThere)(`tshark, of MMS${reason}`, () => {
  const hosts = newHosts()
  const client = { mac: '02:00:5e:00:00:0a', ip: '10.20.0.10', port: 50_001 }
  const server = { mac: '02:00:5e:01:00:01', ip: '10.20.1.1', port: 102 }
  const [request, confirm, ...rest] = mmsDialogue.map(({ octets }) => octets)
  const messages = [request, confirm, mmsAssociation.request, mmsAssociation.response, ...rest].map((octets = '') =>
    decodeHex(octets),
  )
  let { flow } = connectTcp(newTcpFlow(client, server, { client: 1, server: 1 }), hosts)
  const bytes = messages.map((payload, index) => {
    const step = sendSegment(flow, index % 2 === 0 ? 'client' : 'server', payload, hosts)
    flow = step.flow
    return step.frames[0]?.bytes ?? payload
  })

  it('finds nothing malformed, and every service by its name', () => {
    const file = concatBytes(...encodePcap(cleanFrames(bytes)))
    const rows = dissectAll(file, '_ws.malformed', 'frame.protocols')
    expect(rows.filter(([malformed]) => malformed !== '')).toEqual([])
    const [, , ...associated] = rows
    expect(associated.filter(([, protocols = '']) => !protocols.endsWith('mms'))).toEqual([])
    const text = run('tshark', ['-n', '-V', '-r'], file)
    for (const shown of [
      'getNameList',
      'MMXU1$MX$TotW',
      'XCBR1$CO$Pos$Oper',
      'informationReport',
      'vendorName: Maker',
    ]) {
      expect(text).toContain(shown)
    }
  })
})

describe.skipIf(!isThere)(`capinfos${reason}`, () => {
  it.each([
    ['microseconds', frames.length, encodePcap(sightings), /File type: +pcap\n/],
    ['pcapng', sightings.length, encodePcapng(sightings), /File type: +pcapng\n/],
  ])('counts every frame of a file in %s', (_, count, file, type) => {
    const text = run('capinfos', ['-M'], concatBytes(...file))
    expect(text).toMatch(type)
    expect(text).toMatch(new RegExp(`Number of packets: +${count}\n`))
    expect(text).toMatch(/File encapsulation: +ether/)
  })

  it('takes a file without frames', () => {
    expect(run('capinfos', ['-M'], concatBytes(...encodePcap([])))).toMatch(/Number of packets: +0\n/)
  })
})
