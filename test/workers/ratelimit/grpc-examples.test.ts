/** The worked requests of docs/grpc.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningBundle, startBundle } from '../../support/bundle.ts'
import { expectExample, pageOrigin, pageSender, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/grpc.md', import.meta.url), 'utf8')
const rules = readFileSync(new URL('../../../examples/ratelimit/config/shop.yaml', import.meta.url), 'utf8')

const examples = readExamples(page)

let bundle: RunningBundle
beforeAll(async () => {
  bundle = await startBundle({ worker: 'ratelimit', rebuild: true, vars: { RATELIMIT_RULES: rules } })
})
afterAll(() => bundle?.stop())

const send = pageSender(() => ({ [pageOrigin]: bundle.url }), { 'content-type': 'application/json' })

describe('docs/grpc.md', () => {
  it('has worked requests', () => expect(examples).toHaveLength(2))

  it.each(examples)('$name', (example) => expectExample(example, send))
})
