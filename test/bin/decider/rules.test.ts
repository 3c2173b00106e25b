/** Rules of a front over a connection of the test: kept while the service is away, replaced by one that has begun anew. */

import { expect, it } from 'vitest'
import type { Asked } from '#bin/decider/questions.ts'
import { createFrontRules } from '#bin/decider/rules.ts'
import { readDecisionSettings } from '#ratelimit/settings.ts'
import { oneLimit } from '../../support/ratelimit-servers.ts'

function setUp() {
  const asked: Asked[] = []
  let answer: () => Promise<unknown> = async () => null
  const link = {
    ask(question: Asked) {
      asked.push(question)
      return answer()
    },
    isOpen: () => true,
    mayDecide: () => true,
    close: () => {},
  }
  const logger = { debug() {}, info() {}, warning() {}, error() {}, audit() {} }
  const rules = createFrontRules(link, readDecisionSettings({}), logger)
  const domains = () => [
    ...((rules.current(Date.now()) as { domains: Map<string, unknown> } | null)?.domains.keys() ?? []),
  ]
  return {
    rules,
    asked,
    domains,
    /** Checks, and has the service answer so. */
    check(value: unknown) {
      answer = () => (value instanceof Promise ? value : Promise.resolve(value))
      return rules.check()
    },
  }
}

const revision = (number: number, domain: string) => ({
  revision: number,
  files: [{ key: 'rules.yaml', text: oneLimit(domain, 'day', 5) }],
})
const listing = { list: 'deny', domain: 'shop', key: 'k', value: 'v', isNetwork: false, until: null }

it('createFrontRules() takes newer revisions and lists, and keeps both while the service is away', async () => {
  const { rules, asked, domains, check } = setUp()
  await check({ ...revision(7, 'shop'), lists: { version: 3, listings: [listing] } })
  await check(Promise.reject(new Error('away')))
  await check(null)
  expect(asked.at(-1)).toEqual({ kind: 'rules', revision: 7, listVersion: 3 })
  expect(domains()).toEqual(['shop'])
  expect(rules.current(Date.now())).toHaveProperty('lists.version', 3)
})

it('createFrontRules().restart() has a service that begun anew replace them, though its revision is lower', async () => {
  const { rules, asked, domains, check } = setUp()
  await check({ ...revision(7, 'shop'), lists: { version: 3, listings: [listing] } })
  rules.restart()
  expect(domains()).toEqual(['shop'])
  await check(revision(1, 'pay'))
  expect(asked.at(-1)).toEqual({ kind: 'rules', revision: 0, listVersion: 0 })
  expect(domains()).toEqual(['pay'])
  expect(rules.current(Date.now())).not.toHaveProperty('lists')
})

it('createFrontRules().restart() leaves out the answer of the last connection', async () => {
  const { rules, domains, check } = setUp()
  await check(revision(1, 'shop'))
  let answer: (value: unknown) => void = () => {}
  const promise = new Promise((resolve) => {
    answer = resolve
  })
  const checking = check(promise)
  rules.restart()
  answer(revision(8, 'old'))
  await checking
  expect(domains()).toEqual(['shop'])
  await check(null)
  expect(domains()).toEqual([])
})
