import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { catalogueTable } from '#streamnet/catalogue/describe.ts'
import { localCatalogue } from '#streamnet/catalogue/local-streams.ts'
import { catalogue } from '#streamnet/catalogue.ts'
import { bulkDefaults, operations } from '#streamnet/index.ts'

const page = readFileSync(join(projectRoot, 'docs/streamnet.md'), 'utf8')
const errors = readFileSync(join(projectRoot, 'src/streamnet/errors.ts'), 'utf8')

test('the tables of operations are the catalogues', () => {
  const [, table] = /<!-- operations -->\n([\s\S]*?)\n<!-- \/operations -->/.exec(page) ?? []
  expect(table).toBe(catalogueTable(catalogue))
  const [, local] = /<!-- local operations -->\n([\s\S]*?)\n<!-- \/local operations -->/.exec(page) ?? []
  expect(local).toBe(catalogueTable(localCatalogue))
})

test('the table of errors has every code', () => {
  const [, body = ''] = /interface StreamNetErrorData \{([\s\S]*?)\n\}/.exec(errors) ?? []
  const codes = [...body.matchAll(/^ {2}(\w+):/gm)].map(([, code]) => code)
  const [, rows = ''] = /\| Code \| Means \| Data \|\n([\s\S]*?)\n\n/.exec(page) ?? []
  expect([...rows.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code)).toEqual(codes)
})

test('the bulk options are those of the page', () => {
  const [, list = ''] = /`BulkInserter\(client, \{ ([^}]*) \}\)`/.exec(page) ?? []
  const said = Object.fromEntries(list.split(', ').map((one) => one.split(' = ')))
  const { failOnChainError, confirmTimeoutSeconds, ...named } = bulkDefaults
  expect(Object.fromEntries(Object.entries(named).map(([name, value]) => [name, `${value}`]))).toEqual(said)
  expect([failOnChainError, confirmTimeoutSeconds]).toEqual([false, 600])
})

test('every iterator and precheck is on the page, and every rule has its own number', () => {
  for (const name of Object.keys(operations).filter((one) => /^(iterate|precheck)/.test(one))) {
    expect(page).toContain(`\`${name}\``)
  }
  const rules = [...page.matchAll(/^\*\*N(\d+)\*\*/gm)].map(([, number]) => Number(number))
  expect(rules).toEqual(rules.map((_, index) => index + 1))
})
