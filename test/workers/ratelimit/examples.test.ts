/** The worked requests of docs/ratelimit.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startBundle } from '../../support/bundle.ts'
import { host } from '../../support/host.ts'
import { expectExample, pageOrigin, pageSender, readExamples } from '../../support/page-examples.ts'
import { adminToken } from '../../support/ratelimit-servers.ts'

const page = readFileSync(new URL('../../../docs/ratelimit.md', import.meta.url), 'utf8')

const examples = readExamples(page)

const bundle = host(() => startBundle({ worker: 'ratelimit', rebuild: true, vars: { ADMIN_TOKEN: adminToken } }))

const send = pageSender(() => ({ $PLANE: `${bundle.url}/ratelimit`, [pageOrigin]: bundle.url }), {
  authorization: `Bearer ${adminToken}`,
})

describe('docs/ratelimit.md', () => {
  it('has an example at the head of every section that has rules', () => {
    const sections = page.split(/^## /m).slice(1)
    const without = sections
      .filter((section) => /^\*\*R\d/m.test(section))
      .filter((section) => !/^[^\n]*\n\n(?:[^*\n][^\n]*\n\n)?```sh\n/.test(section))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    expect(examples.length).toBeGreaterThanOrEqual(8)
  })

  it.each(examples)('$name', (example) => expectExample(example, send))
})
