/** Settings of `npm start` for the stream network's node. */

import { createSigner } from '#streamnet/signing/signer.ts'

/**
 * The variables of a node that takes development methods and starts with a small network to read from, on which the
 * gateway's key writes and manages roles.
 *
 * In the profile `head` every wallet creates streams, and no wallet has the role at the first block: the members of
 * `system:network_writer` are those of the network, and recorded answers of a real node can be compared.
 *
 * @param gatewayKey - the gateway's private key, 64 hex digits.
 * @param profile - the value of STREAMNET_PROFILE; undefined when it is not set.
 */
export function developmentNode(gatewayKey: string, profile: string | undefined): Readonly<Record<string, string>> {
  const { address } = createSigner(gatewayKey)
  return {
    STREAMNET_DEVELOPMENT: 'true',
    STREAMNET_SEED_NETWORK: 'true',
    STREAMNET_MANAGERS: address,
    ...(profile === 'head' ? {} : { STREAMNET_WRITERS: address }),
  }
}
