import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'

it.each([
  ['docs/gateway.md', 'G'],
  ['docs/devnode.md', 'D'],
])('the rules of %s are numbered in order, without a gap', (path, letter) => {
  const page = readFileSync(join(projectRoot, path), 'utf8')
  const numbers = [...page.matchAll(new RegExp(`^\\*\\*${letter}(\\d+)\\*\\*`, 'gm'))].map(([, number]) =>
    Number(number),
  )
  expect(numbers.length).toBeGreaterThan(20)
  expect(numbers).toEqual(numbers.map((_, index) => index + 1))
})
