/** Alerts in the forms of detectors, and the message of each mistake. */

import { expect, test } from 'vitest'
import { doAtOnce } from '#base/slices.ts'
import { type AlertFormat, alertBounds, readAlerts } from '#grid/score/read-alerts.ts'

function read(text: string, format: AlertFormat | null = null) {
  return doAtOnce(readAlerts(text, format))
}

const timeUs = Date.parse('2026-11-24T16:00:00Z') * 1000 + 700

test('readAlerts() reads the alerts of Suricata EVE, and passes over other events', () => {
  const alert = {
    timestamp: '2026-11-24T17:00:00.000700+0100',
    event_type: 'alert',
    pcap_cnt: 9,
    src_ip: '10.20.0.20',
    src_port: 50000,
    dest_ip: '10.20.2.4',
    dest_port: 20000,
    alert: { signature: 'SCADA write', severity: 1, metadata: { mitre_technique_id: ['T0855'] } },
  }
  const text = [{ event_type: 'flow', timestamp: 'x' }, alert].map((event) => `${JSON.stringify(event)}\n`).join('')
  expect(read(text)).toEqual([
    {
      line: 2,
      timeUs,
      frame: 9,
      source: '10.20.0.20:50000',
      target: '10.20.2.4:20000',
      name: 'SCADA write',
      technique: 'T0855',
      score: -1,
    },
  ])
})

const notice = {
  timeUs,
  frame: null,
  source: '10.20.0.20:50000',
  target: '10.20.2.4:2404',
  name: 'Scan::Port_Scan',
  technique: null,
  score: null,
}

test.each([
  [
    'JSON',
    1,
    `{"ts":1795536000.0007,"note":"Scan::Port_Scan","id.orig_h":"10.20.0.20","id.orig_p":50000,"id.resp_h":"10.20.2.4","id.resp_p":2404}`,
  ],
  [
    'a table',
    4,
    '#separator \\x09\n#fields\tts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tnote\tsrc\n#types\ttime\n1795536000.000700\t-\t10.20.0.20\t50000\t10.20.2.4\t2404\tScan::Port_Scan\t-\n#close\t2026',
  ],
])('readAlerts() reads notices of Zeek as %s', (_, line, text) => {
  expect(read(text)).toEqual([{ line, ...notice }])
})

test('readAlerts() reads CSV with quoted cells, and JSON lines of our own alarms', () => {
  expect(read('time,source,target,name,score\r\n2026-11-24 16:00:00.0007,a,b,"x, ""y""",0.5\r\n')).toMatchObject([
    { line: 2, timeUs, source: 'a', target: 'b', name: 'x, "y"', score: 0.5, frame: null },
  ])
  const alarm = { timestamp: 1795536000.0007, detector: 'chi_square', where: 'bus 3', text: '', evidence: {} }
  expect(read(JSON.stringify(alarm))).toMatchObject([{ timeUs, name: 'chi_square', source: null, target: null }])
})

test.each([
  ['{', null, 'line 1: it is "{", expected one JSON object a line'],
  ['[]', 'jsonl', 'line 1: it is "[]", expected a JSON object'],
  ['{"time":"noon"}', null, 'line 1: time is "noon", expected Unix seconds or a date and time'],
  ['{"event_type":"alert"}', null, 'line 1: it has no timestamp'],
  ['tme,name\n', null, 'line 1: there is a column "tme", did you mean "time"?'],
  ['name\nx', null, 'line 1: there is no column "time", expected time and any of frame'],
  ['time,name\n1', null, 'line 2: it has 1 columns, expected the 2 of its first line'],
  ['time,score\n1,high', null, 'line 2: score is "high", expected a number'],
  ['#close\n1\t2', null, 'line 2: a table of Zeek has no line "#fields" before its rows'],
] as const)('readAlerts() refuses %j', (text, format, message) => {
  expect(() => read(text, format)).toThrow(`Cannot read alerts: ${message}`)
})

test('readAlerts() has a bound', () => {
  expect(() => read(`time\n${'1\n'.repeat(alertBounds.alerts + 1)}`)).toThrow('more than 50000 alerts')
})

test('readAlerts() reads tables of Zeek that follow each other, each by its own columns', () => {
  const text = '#fields\tts\tnote\n1764000000\tA\n#close\n#fields\tnote\tts\nB\t1764000001\n'
  expect(read(text).map(({ name, timeUs }) => [name, timeUs])).toEqual([
    ['A', 1_764_000_000_000_000],
    ['B', 1_764_000_001_000_000],
  ])
})

test('readAlerts() passes over a byte order mark', () => {
  expect(read('\ufeff{"time":1764000000,"name":"a"}\n')).toMatchObject([{ line: 1, name: 'a' }])
})

test('readAlerts() reads rows of CSV whose first cell is empty', () => {
  const text = 'frame,time,name\n,1764000000,a\n"",1764000000,b\n7,1764000000,'
  expect(read(text).map(({ frame, name }) => [frame, name])).toEqual([
    [null, 'a'],
    [null, 'b'],
    [7, 'alert'],
  ])
})
