/** The dashboard and the alerts of examples/monitoring: readable by their programs, and about metrics that exist. */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '#bin/project.ts'
import { sources } from '../house/source.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram } from '../support/process.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly refId: string; readonly expr: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly schemaVersion: number
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string }[] }
}

const promtool = findProgram('promtool')
const folder = join(projectRoot, 'examples/monitoring')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const dashboard: Dashboard = JSON.parse(read('dashboard.json'))
const alerts: { groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[] } = parse(
  read('alerts.yml'),
)
const rules = alerts.groups.flatMap((group) => group.rules)
const panels = dashboard.panels.filter(({ type }) => type !== 'row')
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
]
const product = sources('src', 'durable-objects', 'workers').map(({ text }) => text)

/** Tells whether the product writes a metric: by its whole name, or by the end of it behind a prefix of a family. */
function isWritten(name: string): boolean {
  const [family] = name.split(/_(?:bucket|sum|count)$/)
  const end = /^sluice_grid_(\w+?)(?:_total)?$/.exec(family ?? '')?.[1]
  return product.some(
    (text) =>
      text.includes(family ?? name) ||
      (end !== undefined &&
        text.includes('`sluice_grid_${') &&
        (text.includes(`'${end}'`) || text.includes(`'${end}_total'`))) ||
      // Statistics of limits share a prefix, too.
      (name.startsWith('ratelimit_service_rate_limit_') && text.includes(name)),
  )
}

describe('examples/monitoring', () => {
  it('asks only for metrics that the product writes', () => {
    const names = expressions.flatMap((text) => text.match(/\b(?:sluice|ratelimit)_\w+/g) ?? [])
    expect(new Set(names).size).toBeGreaterThan(15)
    expect([...new Set(names)].filter((name) => !isWritten(name))).toEqual([])
    expect(isWritten('sluice_grid_no_such_total')).toBe(false)
  })

  it('has an alert or a panel for every surface', () => {
    for (const prefix of ['ratelimit_service_', 'sluice_grid_', 'sluice_gateway_', 'sluice_node_']) {
      expect(expressions.some((text) => text.includes(prefix))).toBe(true)
      expect(rules.some(({ expr }) => expr.includes(prefix))).toBe(true)
    }
    for (const { annotations } of rules) expect(Object.keys(annotations)).toEqual(['summary', 'action'])
  })

  it.skipIf(promtool === null)(
    'holds rules that promtool checks, and that fire when its tests say (skipped without promtool)',
    () => {
      for (const args of [
        ['check', 'rules', 'alerts.yml'],
        ['test', 'rules', 'alerts.test.yml'],
        ['check', 'config', '--syntax-only', 'prometheus.yml'],
      ]) {
        const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', args, { cwd: folder, encoding: 'utf8' })
        expect([status, `${stdout}${stderr}`]).toEqual([0, expect.stringContaining('SUCCESS')])
      }
    },
  )

  it.skipIf(promtool === null)('asks in PromQL on every panel (skipped without promtool)', () => {
    const scratch = makeFolder(onTestFinished)
    const asked = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const record = asked.map((expr, at) => ({
      record: `panel:${at}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$simulation', '.*'),
    }))
    writeFileSync(join(scratch, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules: record }] }))
    const args = ['check', 'rules', join(scratch, 'panels.yml')]
    const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', args, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`SUCCESS: ${asked.length} rules found`)
  })

  it('has a dashboard whose panels have numbers and places that are not shared', () => {
    expect([dashboard.uid, dashboard.schemaVersion]).toEqual(['sluice', 39])
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length)
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24)
    for (const { targets = [] } of panels) {
      expect(targets.length).toBeGreaterThan(0)
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length)
    }
    const known = dashboard.templating.list.map(({ name }) => name)
    const used = [...JSON.stringify(dashboard).matchAll(/\$\{?(\w+)/g)].map((match) => match[1] ?? '')
    expect(used.filter((name) => name !== '__rate_interval' && !known.includes(name))).toEqual([])
  })
})
