/** A decision against the number of rules: matching looks keys up, so ten rules and fourteen thousand cost the same. */

import { compileFiles, parseFiles } from '#ratelimit/config/compile.ts'
import { matchAll } from '#ratelimit/match.ts'
import { beginWork } from '#ratelimit/work.ts'
import { median, printTable } from './report.ts'

const sizes = [10, 1_000, 14_000]
const rounds = 30
const batch = 5_000

const cases = sizes.map((size) => {
  const rules = Array.from(
    { length: size },
    (_, at) => `  - {key: k, value: v${at}, rate_limit: {unit: minute, requests_per_unit: ${at + 1}}}`,
  )
  const file = `domain: d\ndescriptors:\n${rules.join('\n')}\n`
  const started = performance.now()
  const files = parseFiles([{ key: 'config.rules', text: file }])
  const read = performance.now() - started
  const book = compileFiles(files)
  return { size, book, read, compiled: performance.now() - started - read, times: [] as number[] }
})

for (let round = 0; round < rounds; round++) {
  for (const { size, book, times } of cases) {
    // The same keys everywhere, so that only the number of rules around them differs.
    const requests = Array.from({ length: batch }, (_, at) => ({
      domain: 'd',
      descriptors: [{ entries: [{ key: 'k', value: `v${(at * 7) % Math.min(size, 10)}` }] }],
      hitsAddend: 1,
    }))
    const started = performance.now()
    for (const request of requests) matchAll(book, request, '', beginWork(4_000_000))
    times.push(((performance.now() - started) / batch) * 1e6)
  }
}

const smallest = median(cases[0]?.times ?? [])
printTable(
  ['rules', 'read once in', 'compiled by an isolate in', 'a match', 'beside 10 rules'],
  cases.map(({ size, read, compiled, times }) => [
    size.toLocaleString('en'),
    `${read.toFixed(0)} ms`,
    `${compiled.toFixed(0)} ms`,
    `${median(times).toFixed(0)} ns`,
    (median(times) / smallest).toFixed(2),
  ]),
)
