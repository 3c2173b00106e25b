/** The worked requests of docs/grpc.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startBundle } from '../../support/bundle.ts'
import { host } from '../../support/host.ts'
import { expectExample, pageOrigin, pageSender, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/grpc.md', import.meta.url), 'utf8')
const rules = readFileSync(new URL('../../../examples/ratelimit/config/shop.yaml', import.meta.url), 'utf8')

const examples = readExamples(page)

const bundle = host(() => startBundle({ worker: 'ratelimit', rebuild: true, vars: { RATELIMIT_RULES: rules } }))

const send = pageSender(() => ({ [pageOrigin]: bundle.url }), { 'content-type': 'application/json' })

describe('docs/grpc.md', () => {
  it('has worked requests', () => expect(examples).toHaveLength(2))

  it.each(examples)('$name', (example) => expectExample(example, send))
})
