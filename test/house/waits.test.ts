/** Waits of tests and soaks: a bound each, which says what was seen, and no second form of them. */

import { EventEmitter } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { eventually, once, within } from '../support/wait.ts'

describe('a wait', () => {
  const never = new Promise<never>(() => {})

  it('for a promise says what it saw when its time is over, and gives the value before', async () => {
    await expect(within('an answer', never, () => ({ sent: 2 }), 5)).rejects.toThrow(
      'Waiting 5 ms for an answer failed: {"sent":2}',
    )
    expect(await within('an answer', Promise.resolve(7), () => '', 5)).toBe(7)
  })

  it('for a condition ends also where the condition itself does not answer', async () => {
    await expect(
      eventually(
        'readiness',
        () => never,
        () => 'half',
        5,
      ),
    ).rejects.toThrow('readiness failed: half')
    let asked = 0
    await eventually(
      'the third time',
      () => ++asked === 3,
      () => asked,
    )
    expect(asked).toBe(3)
  })

  it('for an event shows the state of its emitter', async () => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false })
    await expect(once(socket, 'close', undefined, 5)).rejects.toThrow(
      '"close" of a EventEmitter failed: {"destroyed":false}',
    )
  })
})

/** Waits without a bound, as tests used to write them. */
const unbounded = [
  /import \{[^}]*\bonce\b[^}]*\} from 'node:events'/,
  /await new Promise[^\n]*\n?[^\n]*=>\s*[\w.?]+\.once\('\w+', (resolve|\(\) => \w+\(\))\)\)\s*$/m,
  /\bwhile \([^\n]*\)\s*await (sleep|pause|new Promise)/,
]

describe('tests and soaks', () => {
  it('wait by test/support/wait.ts, expect.poll() or vi.waitFor()', () => {
    const files = ['test', 'soak'].flatMap((folder) =>
      readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && name !== join('support', 'wait.ts'))
        .map((name) => join(folder, name)),
    )
    const found = files.flatMap((file) => {
      const text = readFileSync(join(projectRoot, file), 'utf8')
      return unbounded.flatMap((form) => form.exec(text)?.[0].trim() ?? []).map((wait) => `${file}: ${wait}`)
    })
    expect(found).toEqual([])
  })
})
