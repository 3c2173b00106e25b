/** The examples in the docstrings of operations run against a development node, each on a network of its own. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../bin/project.ts'
import {
  createClient,
  defaultPlatform,
  generateStreamId,
  numeric,
  operations,
} from '../../src/streamnet/index.ts'
import { keys } from '../support/devnode.ts'
import { openMarket, publishValue, startMarketNode } from '../support/markets.ts'

const folder = join(projectRoot, 'src/streamnet/operations')
const example = /@example\n \* ```ts\n((?: \*.*\n)*?) \* ```\n \*\/\nexport (?:async )?function (\w+)/g

const examples = readdirSync(folder).flatMap((file) =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(example)].map(([, lines = '', name = '']) => ({
    name,
    code: lines.replaceAll(/^ \* ?/gm, ''),
  })),
)

/** A network with a stream of three records, and a market with orders on both sides. */
function startNetwork() {
  const node = startMarketNode()
  node.rpc('dev.grantRole', { wallet: keys.owner.address })
  for (const [at, value] of ['10', '20', '30'].entries()) publishValue(node, value, 1_760_000_050 + at * 100)
  const market = openMarket(node)
  node.must(keys.owner, 'place_split_limit_order', market, 60, 100)
  node.must(keys.owner, 'place_sell_order', market, true, 65, 40)
  node.must(keys.owner, 'place_buy_order', market, true, 50, 30)
  const fetch: typeof defaultPlatform.fetch = async (_, init) => {
    const answer = node.send(String(init.body))
    if (typeof answer === 'string') throw new Error(answer)
    return Response.json(answer.body, { status: answer.status })
  }
  return createClient({
    endpoint: 'http://node.invalid',
    signer: keys.owner,
    platform: { ...defaultPlatform, fetch, log: () => {} },
  })
}

// The constructor of async functions has no name of its own.
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>

/** What needs more than a network: a market that is due, and a signature or a proof of another party. */
const without = [
  'settleMarket',
  'parseAttestationPayload',
  'verifyAttestationSignature',
  'verifyWithdrawalProof',
]

test('every operation has one', () => {
  const named = new Set([...examples.map(({ name }) => name), ...without])
  expect(Object.keys(operations).filter((name) => !named.has(name))).toEqual([])
})

test.each(examples)('the example of $name runs', async ({ name, code }) => {
  expect(code).toContain(`${name}(client`)
  const context = {
    ...operations,
    client: startNetwork(),
    provider: keys.owner.address,
    friend: keys.stranger.address,
    streamId: generateStreamId('market-test'),
    settleTime: 1_760_100_000,
    numeric,
    console: { log: () => {} },
  }
  // A block, so that an example may name its own what the network has too.
  const run = new AsyncFunction(...Object.keys(context), `{ ${code} }`)
  await run(...Object.values(context))
})
