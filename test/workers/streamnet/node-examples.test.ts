/** The worked requests of docs/devnode.md, sent in their order, and their answers. */

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operatorToken, startBundle } from '../../support/bundle.ts'
import { host } from '../../support/host.ts'
import { expectExample, pageSender, readExamples } from '../../support/page-examples.ts'

const page = readFileSync(new URL('../../../docs/devnode.md', import.meta.url), 'utf8')

const examples = readExamples(page)

/** Settings that `npm start` gives its node, with a token that the test knows. */
const vars = { STREAMNET_DEVELOPMENT: 'true', STREAMNET_SEED_NETWORK: 'true', STREAMNET_ADMIN_TOKEN: operatorToken }

const bundle = host(() => startBundle({ worker: 'streamnet', rebuild: true, vars }))

const send = pageSender(
  () => ({ $NODE: `${bundle.url}/streamnet/node/rpc/v1`, $ADMIN: `${bundle.url}/streamnet/admin/rpc/v1` }),
  { authorization: `Bearer ${operatorToken}`, 'content-type': 'application/json' },
)

describe('docs/devnode.md', () => {
  it('has worked requests', () => expect(examples).toHaveLength(11))

  it.each(examples)('$name', (example) => expectExample(example, send))
})
