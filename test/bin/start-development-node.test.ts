/** The variables that `npm start` sets for the stream network's node. */

import { expect, test } from 'vitest'
import { developmentNode } from '#bin/start/development-node.ts'
import { createSigner } from '#streamnet/signing/signer.ts'

const key = '11'.repeat(32)
const { address } = createSigner(key)

test.each([undefined, 'seed'])('developmentNode() with profile %s lets the gateway create streams', (profile) => {
  expect(developmentNode(key, profile)).toMatchObject({ STREAMNET_WRITERS: address, STREAMNET_MANAGERS: address })
})

test('developmentNode() with profile head gives the role to no wallet, so that recorded lists of members are equal', () => {
  const variables = developmentNode(key, 'head')
  expect(variables).toMatchObject({ STREAMNET_DEVELOPMENT: 'true', STREAMNET_MANAGERS: address })
  expect(variables).not.toHaveProperty('STREAMNET_WRITERS')
})
