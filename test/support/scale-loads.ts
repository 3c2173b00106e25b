/** A network at another load. */

import type { Network } from '#grid/network/network.ts'

/** The network with every load multiplied, P and Q together. */
export function scaleLoads(network: Network, factor: number): Network {
  const loads = network.loads.map(({ bus, pMw, qMvar }) => ({ bus, pMw: pMw * factor, qMvar: qMvar * factor }))
  return { ...network, loads }
}
