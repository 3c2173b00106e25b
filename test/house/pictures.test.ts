/** The pictures of the docs: of every view, on a desktop and on a phone, and small enough to be cloned. */

import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { views } from '#test/support/pictures/views.ts'

const folder = join(projectRoot, 'docs/images')
const files = readdirSync(folder)

describe('docs/images', () => {
  it('has each view of the console on a desktop and on a phone, and nothing else', () => {
    const expected = views.flatMap(({ name }) => [`${name}.webp`, `${name}-phone.webp`])
    expect([...files].sort()).toEqual([...expected].sort())
  })

  it('is at most 1 MB in all', () => {
    const octets = files.map((name) => statSync(join(folder, name)).size)
    expect(octets.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_000_000)
  })
})
