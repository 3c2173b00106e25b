/** The examples in the docstrings of the client run against a development node, each on the same state of it. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { projectRoot } from '#bin/project.ts'
import * as face from '#streamnet/index.ts'
import { keys } from '../support/devnode.ts'
import { connectClient, openMarket, publishValue, startMarketNode } from '../support/markets.ts'

const { generateStreamId, operations } = face
const folder = join(projectRoot, 'src/streamnet')
const example = /@example\n((?: \*(?!\/).*\n)*) \*\/\n(?:\/\/.*\n)?export (?:async )?(?:function\*?|class) (\w+)/g

const examples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) =>
    [...readFileSync(join(folder, file), 'utf8').matchAll(example)].map(([, lines = '', name = '']) => ({
      name,
      isOperation: /^operations\W/.test(file),
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
  return node
}

const node = startNetwork()
const takeSnapshot = () => node.rpc('dev.snapshot') as { readonly snapshot: number }
let before = takeSnapshot()

afterEach(() => {
  node.rpc('dev.revert', before)
  before = takeSnapshot()
})

// The constructor of async functions has no name.
const AsyncFunction = (async () => {}).constructor as new (
  ...parts: readonly string[]
) => (...values: readonly unknown[]) => Promise<void>

/** Examples that need more than a network (a market that is due), and what the client makes or calls for its callers. */
const without = ['settleMarket', 'StreamNetError', 'BulkInsertError', 'proveCall']

test('every operation, function and class of the public face has one', () => {
  const named = new Set([...examples.map(({ name }) => name), ...without])
  const callable = Object.entries(face).filter(([, value]) => typeof value === 'function')
  expect(callable.map(([name]) => name).filter((name) => !named.has(name))).toEqual([])
  // Some of these are there twice: with a client as an operation, and without.
  const operated = new Set([...examples.filter(({ isOperation }) => isOperation).map(({ name }) => name), ...without])
  const shared = ['decodeMarketData', 'decodeQueryComponents']
  expect(Object.keys(operations).filter((name) => !operated.has(name))).toEqual(shared)
})

test.each(examples)('the example of $name runs', async ({ name, isOperation, code }) => {
  expect(code).toContain(isOperation ? `${name}(client` : `${name}(`)
  const context = {
    ...(isOperation ? { ...face, ...operations } : face),
    client: connectClient(node),
    provider: keys.owner.address,
    friend: keys.stranger.address,
    streamId: generateStreamId('market-test'),
    settleTime: 1_760_100_000,
    console: { log: () => {} },
  }
  // A block, so that an example may name its own what the network has too.
  const run = new AsyncFunction(...Object.keys(context), `{ ${code} }`)
  await run(...Object.values(context))
})
