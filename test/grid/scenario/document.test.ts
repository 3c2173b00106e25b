/** Files of scenarios: YAML as values with lines, what files become, and every mistake with its line. */

import { describe, expect, it } from 'vitest'
import { type Document, mostCharacters, readDocument, readScenario } from '#grid/scenario/document.ts'
import type { CheckedScenario } from '#grid/scenario/session.ts'

function documentOf(text: string): Document {
  const document = readDocument(text)
  if ('message' in document) throw new Error(`${document.line}: ${document.message}`)
  return document
}

describe('readDocument()', () => {
  it('reads plain scalars by the core schema and quoted ones as text', () => {
    const text =
      'a: on\nb: yes\nc: 12\nd: -1.5e2\ne: "12"\nf: true\ng: ~\nh:\ni: 0x10\nj: .inf\nk: 2026-03-02T08:00:00Z\nl: 2-3\n'
    expect(documentOf(text).value).toEqual({
      a: 'on',
      b: 'yes',
      c: 12,
      d: -150,
      e: '12',
      f: true,
      g: null,
      h: null,
      i: '0x10',
      j: '.inf',
      k: '2026-03-02T08:00:00Z',
      l: '2-3',
    })
  })

  it('knows the line of each part, and of the part around one that is missing', () => {
    const { lineAt } = documentOf('name: x\ntimeline:\n  - at: 1\n  - at: 2\n    check: { bus: 3 }\n')
    const paths = [
      ['name'],
      ['timeline', 1, 'at'],
      ['timeline', 1, 'check', 'bus'],
      ['timeline', 1, 'check', 'min'],
      ['no'],
    ]
    expect(paths.map(lineAt)).toEqual([1, 4, 5, 5, 1])
  })

  it('copies what an alias names', () => {
    expect(documentOf('a: &a [1, { b: 2 }]\nc: *a\n').value).toEqual({ a: [1, { b: 2 }], c: [1, { b: 2 }] })
  })

  it.each([
    ['a: 1\nb: &b\n  - *b\n', 3, 'the alias *b is inside of &b: it loops'],
    ['a: 1\nb: *c\n', 2, 'there is no anchor &c before the alias *c'],
    ['a: 1\nb: 2\na: 3\n', 3, 'the key "a" is there twice'],
    ['a: &a { b: 1 }\nc:\n  <<: *a\n', 3, 'merge keys (<<) are not read, expected an alias as a value'],
    ['a: !!binary aGk=\n', 1, 'the tag tag:yaml.org,2002:binary is not read, expected a value without a tag'],
    ['? [a]\n: 1\n', 1, 'a key is not text'],
    ['a: {b: [c\n', 2, ''],
    ['', 1, 'the file is empty'],
    [`a: ${'['.repeat(40)}${']'.repeat(40)}\n`, 1, 'nested deeper than 32 levels'],
    ['x'.repeat(mostCharacters + 1), 1, `the file has ${mostCharacters + 1} characters, expected at most 262144`],
  ])('refuses text %# in its line', (text, line, message) => {
    const read = readDocument(text)
    expect(read).toMatchObject({ line, message: expect.stringContaining(message) })
  })

  it('refuses aliases that unfold without end', () => {
    const lines = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]']
    for (let at = 1; at < 9; at++)
      lines.push(`a${at}: &a${at} [${Array.from({ length: 10 }, () => `*a${at - 1}`).join(', ')}]`)
    expect(readDocument(lines.join('\n'))).toMatchObject({ message: 'aliases unfold to more than 20000 values' })
  })
})

const head = [
  'name: drill',
  'title: A drill',
  'summary: It happens.',
  'briefing: Look.',
  'seed: 7',
  'start: 2026-03-02T08:00:00Z',
  'duration: 60',
]

/** The text of a scenario of which the timeline begins in line 9. */
const write = (timeline: readonly string[], more: readonly string[] = []) =>
  [...head, 'timeline:', ...timeline.map((line) => `  - ${line}`), ...more, ''].join('\n')

function checkedOf(text: string): CheckedScenario {
  const read = readScenario(text)
  if (!read.ok) throw new Error(read.mistakes.map(({ line, text: what }) => `${line}: ${what}`).join('\n'))
  return read.checked
}

const mistakesOf = (text: string) => {
  const read = readScenario(text)
  return read.ok ? [] : read.mistakes.map(({ line, text: what }) => `${line}: ${what}`)
}

const noise = '{ at: 10, text: N, attack: noise, id: n, for: 5 }'

describe('readScenario()', () => {
  it('makes a session of configuration and commands in the order of their steps', () => {
    const { session, attackIds } = checkedOf(
      write(
        [
          '{ at: 30, text: D, attack: DROP, id: d, params: { drop_percent: 5 }, link: PMU-1--PDC, seed: 3 }'.replace(
            ', seed: 3',
            '',
          ),
          noise,
          '{ at: 20, text: T, fault: { line: 2-3 } }',
          '{ at: 21, text: M, fault: { machine: 2 } }',
          '{ at: 25, text: C, operator: { close: CB-2-3, closing: synchronized } }',
          '{ at: 60, text: E, check: { grid: islands, min: 1 } }',
        ],
        [
          'load: { day: summer_weekend, scale: 0.9 }',
          'settings: { scan_s: 4, unit_protection: on }',
          'background:',
          '  - { at: 5, text: A, every: 20, until: 50, operator: { acknowledge: all } }',
        ],
      ),
    )
    expect(session.configuration).toMatchObject({
      case: 'case14',
      seed: 7,
      start_time: 1_772_438_400,
      day: 'summer_weekend',
      load_scale: 0.9,
      scan_s: 4,
      unit_protection: 'on',
      restoration: 'automatic',
    })
    expect(session.steps).toBe(600)
    expect(session.commands.map(({ kind, step }) => `${step} ${kind}`)).toEqual([
      ...['50 acknowledge', '100 enable', '150 disable', '200 trip', '210 trip', '250 acknowledge', '250 switch'],
      ...['300 enable', '450 acknowledge'],
    ])
    expect([...attackIds]).toEqual([
      ['n', 'NOISE-1'],
      ['d', 'DROP-2'],
    ])
  })

  it.each([
    [write([noise]).replace('title: A drill\n', ''), ['1: title is missing, expected a text of 1 to 200 characters']],
    [
      write([noise]).replace('title', 'titel'),
      [
        '1: title is missing, expected a text of 1 to 200 characters',
        '2: unknown property "titel", did you mean "title"?',
      ],
    ],
    [
      write([noise, '{ at: 1, text: X, atack: NOISE }']),
      ['10: unknown property "atack" in timeline[1], did you mean "attack"?'],
    ],
    [
      write([noise]).replace('2026-03-02T08', '2026-13-02T08'),
      ['6: start is "2026-13-02T08:00:00Z", expected a time such as 2026-03-02T08:00:00Z'],
    ],
    [
      write([noise]).replace('duration: 60', 'duration: 90000'),
      ['7: duration is 90000, expected a number from 1 to 36000'],
    ],
    [
      write(['{ at: 10.05, text: X, operator: { load: 1 } }']),
      ['9: timeline[0].at is 10.05, expected a multiple of 0.1'],
    ],
  ])('names the line of a mistake of the shape: %#', (text, mistakes) => {
    expect(mistakesOf(text)).toEqual(mistakes)
  })

  it.each([
    ['at: 1', ' has none of them, expected exactly one of attack, operator, fault, check'],
    [
      'attack: DROP, operator: { load: 1 }',
      ' has attack and operator, expected exactly one of attack, operator, fault, check',
    ],
    ['for: 3, operator: { load: 1 }', '.for is without an attack'],
    ['attack: NOIS', ': Unknown attack type "NOIS", did you mean "NOISE"?'],
    ['attack: FDI_STEALTH, params: { bus: 99 }', ': Parameter "bus" is 99, which is not in the network'],
    [
      'attack: DROP, params: { drop_prcent: 3 }',
      ': Unknown parameter "drop_prcent", did you mean "drop_percent"? Known: drop_percent',
    ],
    [
      'attack: DROP, link: PMU-9--PDC',
      ': Parameter "target_link" is "PMU-9--PDC", expected the id of a link of GET /api/v1/topology, such as "PMU-1--PDC"',
    ],
    ['at: 60, attack: DROP', '.at is 60, expected 0 to 59.9, within the duration of 60 s'],
    ['at: 50, attack: DROP, for: 20', '.for is 20, expected 0.1 to 10, within the duration of 60 s'],
    [
      'at: 12, attack: NOISE',
      ' has NOISE from 12 to 60 s, and timeline[0] from 10 to 15 s, expected times that do not overlap, because enabling a type again ends the first',
    ],
    ['at: 20, attack: DROP, id: n', '.id is "n", which timeline[0] has, expected another one'],
    ['operator: { open: CB-2-33 }', '.operator.open: there is no breaker "CB-2-33", did you mean "CB-2-3"?'],
    [
      'operator: { open: CB-2-3, load: 1 }',
      '.operator has open and load, expected exactly one of open, close, restore, machine, tap, load, acknowledge',
    ],
    ['operator: { open: CB-2-3, closing: forced }', '.operator.closing is without close'],
    [
      'operator: { machine: { bus: 4, p_mw: 1 } }',
      '.operator.machine.bus is 4, where the network has no machine, expected one of 1, 2, 3, 6, 8',
    ],
    [
      'operator: { machine: { bus: 2 } }',
      '.operator.machine has only a bus, expected connected, p_mw or v_pu beside it',
    ],
    [
      'operator: { machine: { bus: 2, v_pu: 3 } }',
      '.operator.machine cannot be ordered: it takes 0.8 to 1.2 pu, not 3',
    ],
    [
      'operator: { tap: { breaker: CB-1-2, position: 1 } }',
      '.operator.tap cannot be ordered: CB-1-2 has no transformer with a tap; those of CB-4-7, CB-4-9, CB-5-6 have one',
    ],
    [
      'operator: { restore: { bus: 7 } }',
      '.operator.restore.bus is 7, where the network has no load, expected one of 2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14',
    ],
    ['fault: { line: 2-33 }', '.fault.line: there is no breaker "CB-2-33", did you mean "CB-2-3"?'],
    [
      'check: { min: 1 }',
      '.check has none of them, expected exactly one of alarm, no_alarm, breaker, grid, bus, estimate, attack',
    ],
    ['at: 0, check: { grid: islands, min: 1 }', '.at is 0, expected 0.1 to 60, within the duration of 60 s'],
    ['check: { grid: islands }', '.check has no bound, expected min, max or both'],
    ['check: { grid: islands, min: 3, max: 2 }', '.check.min is 3 and max 2, expected min below max'],
    ['check: { grid: islands, min: 3, where: RTU-1 }', '.check.where is beside grid, which takes min, max'],
    ['check: { bus: 15, min: 1 }', '.check.bus is 15, which is not in the network'],
    [
      'check: { bus: 1, quantity: va_deg, of: measured, min: 1 }',
      '.check.of is measured, and no outstation measures angles',
    ],
    ['check: { breaker: CB-2-3 }', '.check.is is missing, expected open or closed'],
    ['check: { alarm: late, since: 2 }', '.check.since is 2, expected 0 to 1, within the duration of 60 s'],
    ['check: { attack: m, min: 1 }', '.check.attack: there is no attack with the id "m", expected one of n'],
  ])('names what is wrong with %s', (members, mistake) => {
    const entry = `{ text: X, ${members.startsWith('at:') ? '' : 'at: 1, '}${members} }`
    expect(mistakesOf(write([noise, entry]))).toEqual([`10: timeline[1]${mistake}`])
  })

  it.each([
    ['DNP3_CONTROL, params: { control: trip }', 'COORDINATED_OUTAGE, params: { branches: [2-3] }', undefined],
    ['DNP3_CONTROL, params: { control: close }', 'COORDINATED_OUTAGE, params: { branches: [2-3] }', 'CB-2-3'],
    ['DNP3_CONTROL, params: { control: latch_on }', 'GOOSE_TRIP_SPOOF, params: { breaker: CB-2-3 }', 'CB-2-3'],
    ['MODBUS_CMD_INJECT, params: { value: 1 }', 'COORDINATED_OUTAGE, params: { branches: [3-4] }', 'CB-3-4'],
    ['MODBUS_CMD_INJECT, params: { function: write_single_register, value: 1 }', 'COORDINATED_OUTAGE', undefined],
    ['IEC104_BREAKER_CMD, params: { state: on }', 'GOOSE_TRIP_SPOOF, params: { breaker: CB-1-5 }', 'CB-1-5'],
    ['IEC104_BREAKER_CMD, params: { state: toggle }', 'GOOSE_TRIP_SPOOF, params: { breaker: CB-1-5 }', undefined],
    [
      'IEC104_BREAKER_CMD, params: { state: on, ioa_to: 1001 }',
      'GOOSE_TRIP_SPOOF, params: { breaker: CB-1-5 }',
      undefined,
    ],
  ])('refuses attacks that want different states of a breaker at one time: %s beside %s', (one, other, breaker) => {
    const writeBoth = (at: number) =>
      write([`{ at: 5, for: 20, text: A, attack: ${one} }`, `{ at: ${at}, text: B, attack: ${other} }`])
    const mistakes =
      breaker === undefined
        ? []
        : [expect.stringMatching(`^10: timeline\\[1\\] has .* they want different states of ${breaker}$`)]
    expect(mistakesOf(writeBoth(10))).toEqual(mistakes)
    expect(mistakesOf(writeBoth(25))).toEqual([])
  })

  it('refuses a change of messages that another attack lets none of pass, and takes both on different links', () => {
    const entry = (percent: number, link: string) =>
      write([noise, `{ at: 12, text: D, attack: DROP, params: { drop_percent: ${percent} }, link: ${link} }`])
    const text =
      'timeline[1] has DROP from 12 to 60 s, and timeline[0] NOISE from 10 to 15 s, expected times that do not overlap, because DROP leaves no message of PMU-1--PDC for NOISE'
    expect(mistakesOf(entry(100, 'PMU-1--PDC'))).toEqual([`10: ${text}`])
    expect(mistakesOf(entry(99, 'PMU-1--PDC'))).toEqual([])
  })

  it('refuses orders of one moment that contradict each other', () => {
    const orders = ['{ at: 5, text: O, operator: { open: CB-2-3 } }', '{ at: 5, text: C, operator: { close: CB-2-3 } }']
    expect(mistakesOf(write(orders))).toEqual([
      '10: timeline[1] wants CB-2-3 closed at 5 s, and timeline[0] open: expected another time for one of them',
    ])
  })

  it.each([
    [
      '{ ask: A?, answer: 1, of: { attack: x, member: frames } }',
      'questions[0].of.attack: there is no attack with the id "x", expected one of n',
    ],
    [
      '{ ask: A?, answer: 1, of: { attack: n } }',
      'questions[0].of.member is missing, expected what of the attack is the answer',
    ],
    ['{ ask: A?, answer: 1, of: { grid: islands, member: frames } }', 'questions[0].of.member is without attack'],
    [
      '{ ask: A?, answer: 1, of: { at: 3 } }',
      'questions[0].of has none of them, expected exactly one of attack, grid, breakers, alarm',
    ],
    [
      '{ ask: A?, answer: NOISE, choices: [DROP, RAMP], of: { attack: n, member: type } }',
      'questions[0].choices lack the answer, NOISE',
    ],
    [
      '{ ask: A?, answer: 1, of: { grid: islands, at: 70 } }',
      'questions[0].of.at is 70, expected 0.1 to 60, within the duration of 60 s',
    ],
  ])('names what is wrong with the question %s', (question, mistake) => {
    const text = write([noise], ['questions:', `  - ${question.replace('A?', '"A?"')}`])
    expect(mistakesOf(text)).toEqual([`11: ${mistake}`])
  })

  it('bounds what background repeats, and what a file may hold', () => {
    const busy = [
      'background:',
      ...Array.from({ length: 3 }, () => '  - { at: 0, text: A, every: 1, operator: { acknowledge: all } }'),
    ]
    const text = write([noise], busy).replace('duration: 60', 'duration: 36000')
    expect(mistakesOf(text)).toEqual(['10: the scenario has more than 2000 commands, background included'])
    const long = write(Array.from({ length: 501 }, (_, at) => `{ at: ${at / 10}, text: X, operator: { load: 1 } }`))
    expect(mistakesOf(long)).toEqual(['8: timeline is a list of 501, expected a list of 1 to 500 items'])
  })

  it('lists mistakes of names and times together, by their lines', () => {
    const text = write(['{ at: 99, text: X, operator: { open: CB-0 } }', '{ at: 5, text: Y, fault: { line: x } }'])
    expect(mistakesOf(text).map((one) => one.split(' ')[0])).toEqual(['9:', '9:', '10:'])
  })
})
