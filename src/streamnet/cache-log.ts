/** Notices of a view action about the cache it read from. */

/** The source of an answer: the node's cache or not. */
export interface CacheInfo {
  readonly hit: boolean
  /** Height at which the cache was filled. */
  readonly cacheHeight: number | null
  /** True when the node has no cache for the stream. */
  readonly cacheDisabled?: true
}

/** Finds the first notice about the cache among lines that may each be a JSON object; null for none. */
export function parseCacheLog(lines: readonly string[]): CacheInfo | null {
  for (const line of lines) {
    const notice = parseNotice(line)
    if (notice?.cache_disabled === true) return { hit: false, cacheHeight: null, cacheDisabled: true }
    if (typeof notice?.cache_hit !== 'boolean') continue
    const height = notice.cache_height
    return { hit: notice.cache_hit, cacheHeight: typeof height === 'number' ? height : null }
  }
  return null
}

function parseNotice(line: string): Readonly<Record<string, unknown>> | null {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
