/** Rules of a start that come from a control plane (xDS): followed while the service runs. */

import type { SettingValues } from '#ratelimit/setting-table.ts'
import { pushFiles, type Service } from '../ratelimit/push.ts'
import type { ControlPlane } from '../xds/settings.ts'

interface StartFollowing {
  readonly signal: AbortSignal
  readonly settings: Pick<SettingValues, 'FORCE_START_WITHOUT_INITIAL_CONFIG'>
  readonly say: (line: string) => void
}

/**
 * Begins to follow, and waits for the first response where the service has no rules: good or bad, as in the reference.
 * A service that kept the rules of an earlier start does not wait, and with FORCE_START_WITHOUT_INITIAL_CONFIG none does.
 */
export async function startControlPlane(
  plane: ControlPlane,
  service: Service,
  following: StartFollowing,
): Promise<void> {
  const { signal, say, settings } = following
  // Loaded only here: its client of gRPC takes a tenth of a second of every other start.
  const { followControlPlane } = await import('../xds/follow.ts')
  const first = new Promise<void>((resolve) => {
    const publish = pushFiles.bind(null, service)
    void followControlPlane(plane, { signal, say, publish, onUpdate: resolve })
  })
  if (settings.FORCE_START_WITHOUT_INITIAL_CONFIG || (await hasRules(service))) return
  say(`Waiting for the first rules of control plane ${plane.target}`)
  await first
}

/** Asks whether any configuration was ever accepted. */
async function hasRules({ url, token }: Service): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(new URL('/ratelimit/config', url), { headers })
  const { revision } = (await response.json()) as { revision: number }
  return revision > 0
}
