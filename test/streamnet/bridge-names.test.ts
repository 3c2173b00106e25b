import { expect, test } from 'vitest'
import { bridgeNames, requireCollateral, requirePrefix } from '#streamnet/bridge-names.ts'

test('each bridge has one set of names for all operations', () => {
  const read = (get: (name: string) => string) =>
    bridgeNames.map((name) => {
      try {
        return get(name)
      } catch {
        return null
      }
    })
  const prefixes = read((bridgeIdentifier) => requirePrefix({ bridgeIdentifier }))
  expect(Object.fromEntries(bridgeNames.map((name, at) => [name, prefixes[at]]))).toEqual({
    eth_main: 'eth_truf',
    eth_stable: 'eth_usdc',
    testnet_a: 'hoodi_tt',
    testnet_b: 'hoodi_tt2',
    testnet_legacy: 'sepolia',
    sepolia_bridge: 'sepolia',
    ethereum_bridge: 'ethereum',
    eth_truf: 'eth_truf',
    eth_usdc: 'eth_usdc',
    hoodi_tt: 'hoodi_tt',
    hoodi_tt2: 'hoodi_tt2',
    sepolia: 'sepolia',
    ethereum: 'ethereum',
  })
  const inMarkets: Record<string, string | null> = {
    hoodi_tt: null,
    sepolia: 'sepolia_bridge',
    ethereum: 'ethereum_bridge',
  }
  const expected = prefixes.map((prefix) => (prefix !== null && prefix in inMarkets ? inMarkets[prefix] : prefix))
  expect(read(requireCollateral)).toEqual(expected)
})
