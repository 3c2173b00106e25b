/** The worked requests of docs/gateway.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fullToken, gatewayAddress, startGateway } from '../../support/gateway-bundle.ts'
import { host } from '../../support/host.ts'
import { expectExample, pageSender, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/gateway.md', import.meta.url), 'utf8')

const examples = readExamples(page)

const gateway = host(() => startGateway({ rebuild: true }))

const send = pageSender(() => ({ $GATE: `${gateway.url}/streamnet/v1`, $OWNER: gatewayAddress }), {
  authorization: `Bearer ${fullToken}`,
  'content-type': 'application/json',
})

describe('docs/gateway.md', () => {
  it('has worked requests', () => expect(examples).toHaveLength(9))

  it.each(examples)('$name', (example) => expectExample(example, send))
})
