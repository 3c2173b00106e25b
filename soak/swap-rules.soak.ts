/**
 * The rules change again and again under load: no decision fails, each comes from a set that was in force, and the
 * last set is in force at the end. One set in ten has a mistake and must change nothing.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { createTally, gatherViolations, type Soak, scaled } from './outcome.ts'
import { prepareService, type Service } from './service.ts'
import { Wire } from './wire.ts'

const base = 1_000_000
const rules = (limit: number) =>
  `domain: swap\ndescriptors:\n  - {key: k, rate_limit: {unit: hour, requests_per_unit: ${limit}}}\n  - {key: always, rate_limit: {unlimited: true}}\n`
const mistake = 'domain: swap\ndescriptors:\n  - key: ""\n'

export const run: Soak = async (scale) => {
  const swaps = scaled(1_000, scale)
  const [violations, answers, puts] = [gatherViolations(), createTally(), createTally()]
  const service = await prepareService({ rules: { 'swap.yaml': rules(base) } })
  await service.start()
  let [isOver, published] = [false, base]
  const callers = Array.from({ length: 8 }, async (_, number) => {
    const wire = new Wire(service.ports.http)
    const key = number % 2 === 0 ? 'always' : 'k'
    const body = JSON.stringify({ domain: 'swap', descriptors: [{ entries: [{ key, value: `v${number}` }] }] })
    while (!isOver) {
      const { status, body: octets } = await wire.ask({ method: 'POST', target: '/json', body })
      answers.add(status)
      if (status !== 200) violations.add(`a decision was answered ${status} ${octets.subarray(0, 200)}`)
      const limit = Number(/"requestsPerUnit":(\d+)/.exec(octets.toString())?.[1] ?? Number.NaN)
      if (key === 'k' && !(limit >= base && limit <= published)) {
        violations.add(`a decision knew the limit ${limit}, published were ${base} to ${published}`)
      }
    }
    wire.close()
  })
  for (let swap = 1; swap <= swaps; swap++) {
    const isWrong = swap % 10 === 0
    // Known before it is sent: a decision may use it before the answer to the push is back.
    if (!isWrong) published = base + swap
    const status = await push(service, isWrong ? mistake : rules(published))
    puts.add(status)
    if (isWrong === status < 400) violations.add(`push ${swap} was answered ${status}`)
  }
  const lag = await untilInForce(service, published, violations)
  isOver = true
  await Promise.all(callers)
  await service.stop()
  return {
    done: `${swaps} swaps`,
    facts: [`pushes ${puts.text()}`, `decisions ${answers.text()}`, `the last set in force after ${lag} ms`],
    violations: violations.list(),
  }
}

async function push(service: Service, text: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${service.ports.debug}/config/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${service.tokens().ADMIN_TOKEN}` },
    body: JSON.stringify({ files: { 'config.swap.yaml': text } }),
  })
  await response.arrayBuffer()
  return response.status
}

async function untilInForce(
  service: Service,
  limit: number,
  violations: ReturnType<typeof gatherViolations>,
): Promise<number> {
  const wire = new Wire(service.ports.http)
  const began = Date.now()
  const body = '{"domain":"swap","descriptors":[{"entries":[{"key":"k","value":"last"}]}]}'
  while (Date.now() - began < 20_000) {
    const { body: octets } = await wire.ask({ method: 'POST', target: '/json', body })
    if (octets.includes(`"requestsPerUnit":${limit}`)) {
      wire.close()
      return Date.now() - began
    }
    await sleep(20)
  }
  violations.add(`the last set was not in force after ${Date.now() - began} ms`)
  return Number.NaN
}
