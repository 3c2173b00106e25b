/** The worked requests of docs/grid.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startBundle } from '../../support/bundle.ts'
import { gridToken } from '../../support/grid-service.ts'
import { host } from '../../support/host.ts'
import { expectExample, pageOrigin, pageSender, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/grid.md', import.meta.url), 'utf8')

const examples = readExamples(page)

const bundle = host(() => startBundle({ worker: 'grid', rebuild: true, vars: { GRID_TOKEN: gridToken } }))

const send = pageSender(() => ({ $GRID: `${bundle.url}/simulations/drill/api/v1`, [pageOrigin]: bundle.url }), {
  authorization: `Bearer ${gridToken}`,
})

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
