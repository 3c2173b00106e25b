/** The Memcached store. */

import { flag, text } from '../../base/variables.ts'
import { duration, whole } from '../setting-readers.ts'
import { honoured, relayed, row, withAliases } from './setting-row.ts'

/** Servers, connections and TLS. */
export const memcacheSettings = withAliases('MEMCACHE_', 'MCACHE_', {
  MEMCACHE_HOST_PORT: row(text(''), honoured),
  MEMCACHE_SRV: row(text(''), honoured),
  MEMCACHE_SRV_REFRESH: row(duration(0), honoured),
  MEMCACHE_MAX_IDLE_CONNS: row(whole(2), honoured),
  MEMCACHE_TLS: row(flag(false), honoured),
  MEMCACHE_TLS_CLIENT_CERT: row(text(''), relayed),
  MEMCACHE_TLS_CLIENT_KEY: row(text(''), relayed),
  MEMCACHE_TLS_CACERT: row(text(''), relayed),
  MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed),
})
