/** The worked requests of docs/quota.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { expectExample, pageOrigin, pageSender, readExamples } from '../../support/page-examples.ts'
import { adminToken } from '../../support/ratelimit-servers.ts'

const page = readFileSync(new URL('../../../docs/quota.md', import.meta.url), 'utf8')

const examples = readExamples(page)

let bundle: RunningBundle
beforeAll(async () => {
  const vars = { ADMIN_TOKEN: adminToken, LEASES: 'shares.client=on' }
  bundle = await startBundle({ worker: 'ratelimit', rebuild: true, vars })
})
afterAll(() => bundle?.stop())

const send = pageSender(() => ({ $PLANE: `${bundle.url}/ratelimit`, [pageOrigin]: bundle.url }), {
  authorization: `Bearer ${adminToken}`,
})

describe('docs/quota.md', () => {
  it('has an example at the head of every section', () => {
    const sections = page.split(/^## /m).slice(1)
    const without = sections.filter((section) => !/^[^\n]*\n\n(?:[^\n]+\n\n)?```sh\n/.test(section))
    expect(without.map((section) => section.split('\n')[0])).toEqual([])
    expect(examples).toHaveLength(4)
  })

  it.each(examples)('$name', (example) => expectExample(example, send))
})
