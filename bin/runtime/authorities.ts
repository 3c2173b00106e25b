/** Certificate authorities that this machine trusts beside the public ones. */

import { readFileSync } from 'node:fs'

/** Reads the file of Node's own variable NODE_EXTRA_CA_CERTS; Node itself ignores it once a context names authorities. */
export function extraAuthorities(): readonly string[] {
  const path = process.env.NODE_EXTRA_CA_CERTS
  if (path === undefined || path === '') return []
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    // Node has warned of it at its own start.
    return []
  }
}
