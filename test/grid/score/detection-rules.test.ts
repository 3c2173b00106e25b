/** The rules of `examples/grid/detection`: every attack that a packet shows is found, quiet sessions raise nothing. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import type { Command, SessionDocument } from '#grid/configuration.ts'
import { detectors } from '#grid/control-centre/detection.ts'
import { describeAlarm } from '#grid/syslog/notice.ts'
import { orderOf, sessionDocument, startTime, startWorld } from '../../support/grid-session.ts'
import { optionOf, runRules } from '../../support/suricata-rules.ts'
import { formatScores, groups, recordSession, rules, scoreBoth } from '../../support/worked-scores.ts'

const page = new URL('../../../docs/grid.md', import.meta.url)
const [begin, end] = ['<!-- worked scores -->', '<!-- /worked scores -->']
const sigma = new URL('../../../examples/grid/detection/sigma/', import.meta.url)

/** Two scans without the attack, and sixteen seconds of it. */
const [attackStep, sessionSteps] = [40, 200]

function attackSession(type: string, params: Readonly<Record<string, unknown>> = {}): SessionDocument {
  const { configuration } = startWorld()
  const order = { ...orderOf(startWorld(), type, params), attack_id: `${type}-1` }
  const command: Command = { kind: 'enable', step: attackStep, order }
  return sessionDocument({
    configuration: { ...configuration, start_time: startTime },
    commands: [command],
    steps: sessionSteps,
  })
}

const alertsOf = (session: SessionDocument) =>
  runRules(rules, groups, recordSession(session).frames).map((line) => JSON.parse(line))

describe('suricata.rules', () => {
  it('has a number, a text, a technique and a priority for each rule, each number once', () => {
    const numbers = rules.map((rule) => Number(optionOf(rule, 'sid')))
    expect(new Set(numbers).size).toBe(rules.length)
    expect(numbers.every((sid) => sid > 9_100_000 && sid < 9_200_000)).toBe(true)
    for (const rule of rules) {
      expect(optionOf(rule, 'msg')).toMatch(/^"GRID [\w .-]+"$/)
      expect(optionOf(rule, 'metadata')).toMatch(/^mitre_technique_id T0\d{3}$/)
      expect(optionOf(rule, 'priority')).toMatch(/^[123]$/)
    }
  })

  it('says nothing about a session without an attack', () => {
    expect(alertsOf({ ...attackSession('NOISE'), commands: [] })).toEqual([])
  })

  it.each([
    ['MODBUS_CMD_INJECT', {}, 'GRID Modbus write of a coil by a host that is not the master'],
    ['MODBUS_RECON', {}, 'GRID Modbus exceptions in a row'],
    ['IEC104_BREAKER_CMD', {}, 'GRID IEC 104 single command by a host that is not the master'],
    ['DNP3_CONTROL', {}, 'GRID DNP3 direct operate from the address of a master'],
    ['DNP3_CONTROL', { spoof_master: false }, 'GRID DNP3 direct operate by a host that is not the master'],
    [
      'DNP3_CONTROL',
      { function: 'select_operate', spoof_master: false },
      'GRID DNP3 operate by a host that is not the master',
    ],
    ['COORDINATED_OUTAGE', {}, 'GRID DNP3 session of a host that is not the master'],
  ])('finds %s %j', (type, params, signature) => {
    const run = recordSession(attackSession(type, params))
    const alerts = runRules(rules, groups, run.frames).map((line) => JSON.parse(line))
    expect(alerts.map(({ alert }) => alert.signature)).toContain(signature)
    const attacked = new Set(run.labels.filter(({ attack_id: id }) => id !== null).map((line) => line.pcap_frame))
    expect(alerts.filter(({ pcap_cnt: frame }) => !attacked.has(frame))).toEqual([])
    expect(scoreBoth(run).suricata.episode).toMatchObject({ true_positives: 1, false_positives: 0 })
  })

  it('is what the worked example in docs/grid.md is measured with', { timeout: 300_000 }, () => {
    const text = readFileSync(page, 'utf8')
    const written = text.slice(text.indexOf(begin), text.indexOf(end))
    const isWritten = process.env.UPDATE_SCORES === '1'
    const table = isWritten ? formatScores(Number.POSITIVE_INFINITY) : formatScores()
    if (isWritten)
      writeFileSync(
        page,
        text.replace(written, () => `${begin}\n\n${table}\n\n`),
      )
    else
      expect(written.split('\n'), 'write it anew with UPDATE_SCORES=1').toEqual(
        expect.arrayContaining(table.split('\n')),
      )
  })
})

describe('the Sigma rules', () => {
  const files = readdirSync(sigma).map((name) => parse(readFileSync(new URL(name, sigma), 'utf8')))

  it('have the required members, and the fields that a notice of an alarm carries', () => {
    const alarm = { timestamp: 1, detector: 'step', where: 'PMU-1', text: 'jumps', evidence: {} } as const
    const { facts } = describeAlarm(alarm, { session: 's', simulation: 'drill' })
    const names = new Set<string>(facts.map(([name]) => name))
    for (const { title, id, logsource, detection, fields, level, tags } of files) {
      expect(title.length).toBeLessThanOrEqual(256)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(logsource).toEqual({ product: 'sluice', service: 'grid' })
      expect(detection.condition).toBe('selection')
      expect([...Object.keys(detection.selection), ...fields].filter((name) => !names.has(name))).toEqual([])
      expect(['medium', 'high', 'critical']).toContain(level)
      expect(tags.every((tag: string) => /^attack\.t0\d{3}$/.test(tag))).toBe(true)
    }
    expect(new Set(files.map(({ id }) => id)).size).toBe(files.length)
  })

  it('cover every detector once', () => {
    const covered = files.flatMap(({ detection }) => detection.selection.detector)
    expect(covered.sort()).toEqual(Object.keys(detectors).sort())
  })
})
