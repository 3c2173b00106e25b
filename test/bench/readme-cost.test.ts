/** The figures of cost in README: those of the table that `npm run cost` has made. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readSection } from '#bench/page.ts'
import { projectRoot } from '#bin/project.ts'

const rows = readSection('cost')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

/** US dollars of a million decisions, in the table of decisions by rate. */
function dollarsOf(decisions: string): string | undefined {
  const row = rows.find(([, name, requests]) => name === decisions && /^\d+\.\d\d$/.test(requests ?? ''))
  return /^\d+\.\d\d/.exec(row?.[6] ?? '')?.[0]
}

it('README has the cost of keys in use, of new keys and of leases as the table has it', () => {
  const text = readFileSync(join(projectRoot, 'README.md'), 'utf8')
  const sentence = /a million decisions cost \$(\S+) .* in use.*, \$(\S+) where each key is new, .* \$(\S+) from leases/
  const [, inUse, isNew, leased] = sentence.exec(text) ?? []
  expect([inUse, isNew, leased]).toEqual([
    dollarsOf('one a second, 5 keys'),
    dollarsOf('one a second, each a new key'),
    dollarsOf('a hundred a second, a key, leases'),
  ])
  expect(inUse).toBeDefined()
})
