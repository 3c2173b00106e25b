/** The Memcached store. */

import { flag, text } from '../../base/variables.ts'
import { duration, whole } from '../setting-readers.ts'
import { honoured, relayed, row } from './setting-row.ts'

/** Servers, connections and TLS. */
export const memcacheSettings = {
  MEMCACHE_HOST_PORT: row(text(''), honoured, { aliases: ['MCACHE_HOST_PORT'] }),
  MEMCACHE_SRV: row(text(''), honoured, { aliases: ['MCACHE_SRV'] }),
  MEMCACHE_SRV_RESOLVER: row(text('https://cloudflare-dns.com/dns-query'), honoured),
  MEMCACHE_SRV_REFRESH: row(duration(0), honoured, { aliases: ['MCACHE_SRV_REFRESH'] }),
  MEMCACHE_MAX_IDLE_CONNS: row(whole(2), honoured, {
    aliases: ['MCACHE_MAX_IDLE_CONNS'],
  }),
  MEMCACHE_TLS: row(flag(false), honoured, { aliases: ['MCACHE_TLS'] }),
  MEMCACHE_TLS_CLIENT_CERT: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CLIENT_CERT'],
  }),
  MEMCACHE_TLS_CLIENT_KEY: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CLIENT_KEY'],
  }),
  MEMCACHE_TLS_CACERT: row(text(''), relayed, {
    aliases: ['MCACHE_TLS_CACERT'],
  }),
  MEMCACHE_TLS_SKIP_HOSTNAME_VERIFICATION: row(flag(false), relayed, {
    aliases: ['MCACHE_TLS_SKIP_HOSTNAME_VERIFICATION'],
  }),
} as const
