/** A process of workerd that is started with a plan: its variables, its sockets, and what it says when it cannot start. */

import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { RuntimePlan } from '#bin/runtime/configuration.ts'
import { startRuntimeProcess } from '#bin/runtime/process.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { compatibilityDate } from '../support/workerd.ts'

const folder = makeFolder()
const script = join(folder, 'echo.js')
beforeAll(() => {
  writeFileSync(script, 'export default { fetch: (_, env) => Response.json(env) }')
})

function planEcho(vars: Readonly<Record<string, string>>, address = '127.0.0.1:0'): RuntimePlan {
  const worker = {
    name: 'echo',
    modules: [{ name: 'worker.js', path: script }],
    compatibilityDate,
    compatibilityFlags: [],
    objects: [],
    bindings: Object.entries(vars).map(([name, text]) => ({ name, text })),
  }
  const sockets = [{ name: 'http', address, service: worker.name }]
  return { workers: [worker], sockets, state: join(folder, 'state') }
}

describe('startRuntimeProcess()', () => {
  it('hands every text over as it is, and a half of a surrogate pair as U+FFFD', async () => {
    const control = String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code), 127, 128, 159)
    const texts = { control, quotes: `"'\\ \\x41 \\u0041 \${x} #`, others: 'ä€\u2028\u2029\ufeff😀', empty: '' }
    const runtime = await startRuntimeProcess(planEcho({ ...texts, half: 'a\ud800b' }))
    try {
      const answer = await fetch(`http://127.0.0.1:${runtime.port('http')}`)
      expect(await answer.json()).toEqual({ ...texts, half: 'a\ufffdb' })
    } finally {
      await runtime.stop()
    }
  })

  it('reports why workerd ended before it listened, and leaves no configuration', async () => {
    const taken = createServer()
    const port = await listen(taken)
    const temporary = mkdtempSync(join(folder, 't-'))
    vi.stubEnv('TMPDIR', temporary)
    try {
      const plan = planEcho({ TOKEN: 'a-token-of-the-configuration' }, `127.0.0.1:${port}`)
      const failure = await startRuntimeProcess(plan, { onLine: () => undefined }).then(String, String)
      expect(failure).toMatch(/^Error: Cannot start workerd: it ended with exit code 1\n.*Address already in use/)
      expect(failure).not.toContain('a-token-of')
    } finally {
      vi.unstubAllEnvs()
      taken.close()
    }
    expect(readdirSync(temporary)).toEqual([])
  })
})
