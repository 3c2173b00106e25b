/** `sluice ratelimit tail`: which statistics have changed between two looks. */

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import { changesBetween, parseFigures } from '#bin/ratelimit/figures.ts'
import { listen } from '../support/listen.ts'
import { once } from '../support/wait.ts'

const prefix = 'ratelimit.service.rate_limit'

test('parseFigures() reads counts, leaves timers out, and keeps to a domain', () => {
  const text = `${prefix}.shop.login.total_hits: 7\n${prefix}.shopping.a.total_hits: 1\nratelimit.response_time: P0(1,2)\n`
  expect([...parseFigures(text)]).toHaveLength(2)
  expect([...parseFigures(text, 'shop')]).toEqual([[`${prefix}.shop.login.total_hits`, 7]])
})

test('parseFigures() reads names with spaces, which values of descriptors may have', () => {
  expect([...parseFigures(`${prefix}.shop.name_Jane Doe.total_hits: 7\n`, 'shop')]).toEqual([
    [`${prefix}.shop.name_Jane Doe.total_hits`, 7],
  ])
})

test('sluice ratelimit tail ends when its output is read no more', async () => {
  let hits = 0
  const service = createServer((_, response) => {
    hits += 1
    response.end(`${prefix}.shop.a.total_hits: ${hits}\n`)
  })
  onTestFinished(() => void service.close())
  const url = `http://127.0.0.1:${await listen(service)}`
  const child = spawn(process.execPath, [join(projectRoot, 'bin/sluice.mjs'), 'ratelimit', 'tail', '--url', url], {
    env: { ...process.env, ADMIN_TOKEN: 'an-operator-token' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.stdout.destroy()
  expect(await once(child, 'exit', undefined, 10_000)).toEqual([0, null])
})

test('changesBetween() lists what has grown, what is new, and all of a counter that began anew', () => {
  const before = new Map(Object.entries({ same: 1, grown: 2, restarted: 9 }))
  const now = new Map(Object.entries({ restarted: 3, grown: 5, same: 1, fresh: 4 }))
  expect(changesBetween(before, now)).toEqual([
    { name: 'fresh', value: 4, added: 4 },
    { name: 'grown', value: 5, added: 3 },
    { name: 'restarted', value: 3, added: 3 },
  ])
})
