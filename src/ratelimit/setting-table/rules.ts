/** Settings of the runtime directory that rules come from. */

import { choice, flag, text } from '../../base/variables.ts'
import { local, row, without } from './setting-row.ts'

/** Rules in a runtime directory. */
export const ruleSettings = {
  CONFIG_TYPE: row(
    choice('FILE', ['FILE', 'GRPC_XDS_SOTW']),
    without('rules do not come by xDS; GRPC_XDS_SOTW is an error'),
  ),
  RUNTIME_ROOT: row(text('/srv/runtime_data/current'), local),
  RUNTIME_SUBDIRECTORY: row(text(''), local),
  RUNTIME_APPDIRECTORY: row(text('config'), local),
  RUNTIME_IGNOREDOTFILES: row(flag(false), local),
  RUNTIME_WATCH_ROOT: row(flag(true), local),
} as const
