/** The worked requests of docs/grid.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { expectExample, type PageRequest, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/grid.md', import.meta.url), 'utf8')

const examples = readExamples(page)

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } })
})
afterAll(() => bundle?.stop())

function send({ method, address, body }: PageRequest): Promise<Response> {
  const url = address
    .replace('$GRID', `${bundle.url}/simulations/drill/api/v1`)
    .replace('http://127.0.0.1:8080', bundle.url)
  const headers = { authorization: `Bearer ${gridToken}` }
  return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) })
}

describe('docs/grid.md', () => {
  it('has an example at the head of every section that has rules', () => {
    const sections = page.split(/^## /m).slice(1)
    const without = sections
      .filter((section) => section.includes('**G-'))
      .filter((section) => !/^[^\n]*\n\n```(sh|text)\n/.test(section))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    expect(examples.length).toBeGreaterThanOrEqual(11)
  })

  it.each(examples)('$name', (example) => expectExample(example, send))
})
