/** Nonces: one transaction at a time for a key, each with the next number. */

import { createMutex } from '../../base/mutex.ts'
import { isStreamNetError } from '../errors.ts'

/** Hands out nonces. Nodes take no number but the next, so uses of one source run one after the other. */
export interface NonceSource {
  /**
   * Runs `send` with the next nonce, after all earlier uses have ended.
   *
   * A refusal that names the expected nonce corrects the source, and `send` runs again with it: the refused
   * transaction is in no pool. Any other failure makes the source forget and read again at its next use.
   *
   * @param read - asks the node for the next nonce; called when the source does not know.
   */
  use<T>(read: () => Promise<number>, send: (nonce: number) => Promise<T>): Promise<T>
  /** Forgets the number; it is read again at the next use. */
  forget(): void
}

// A key that is also used elsewhere can lose the race for a number more than once.
const maxCorrections = 3

/**
 * Makes a source of nonces that knows nothing yet.
 *
 * @param mutex - shared with tasks that number transactions of the same key themselves.
 *
 * @example
 * // Two clients of one key share their nonces.
 * const nonces = createNonceSource()
 * const [first, second] = ['a', 'b'].map((name) =>
 *   createClient({ endpoint: `https://${name}.example`, signer: client.signer, nonces }),
 * )
 */
export function createNonceSource(mutex = createMutex()): NonceSource {
  let next: number | undefined

  const attempt = async <T>(read: () => Promise<number>, send: (nonce: number) => Promise<T>): Promise<T> => {
    for (let corrections = 0; ; corrections++) {
      const nonce = next ?? (await read())
      try {
        const sent = await send(nonce)
        next = nonce + 1
        return sent
      } catch (error) {
        next = isStreamNetError(error, 'invalid_nonce') ? error.data.expected : undefined
        if (!isStreamNetError(error, 'invalid_nonce') || corrections === maxCorrections) throw error
      }
    }
  }

  return {
    use: (read, send) => mutex.run(() => attempt(read, send)),
    forget() {
      next = undefined
    },
  }
}
