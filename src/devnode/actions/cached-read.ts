/** Reads of one stream that a client may ask to be answered from the network's cache, which the node does not keep. */

import { type Access, datedRules, requireStream } from '../queries/access.ts'
import type { Stream } from '../state/streams.ts'
import {
  type Action,
  type ActionContext,
  type ArgumentsOf,
  locator,
  optional,
  type ParameterShape,
  type Returns,
  type Rows,
  view,
} from './action.ts'
import { missingStreamText } from './checks.ts'

/** A read of one stream. */
interface CachedRead<P extends ParameterShape> {
  readonly name: string
  /** Its parameters beside the names of the stream and the wish for the cache. */
  readonly parameters: P
  readonly returns: Returns
  /** Checks what comes before the stream is looked for. */
  check?(context: ActionContext, args: ArgumentsOf<P> & StreamNames): void
  rows(access: Access, stream: Stream, args: ArgumentsOf<P>): Rows
}

/** The arguments that name a stream. */
export type StreamNames = ArgumentsOf<typeof locator>

type CacheWish = ArgumentsOf<{ readonly use_cache: 'BOOL'; readonly frozen_at: 'INT8' }>

/** Declares a read. */
export function cachedRead<const P extends ParameterShape & { readonly frozen_at: 'INT8' }>(
  read: CachedRead<P>,
): Action {
  const { name, parameters, returns } = read
  return view(name, { ...locator, ...parameters, use_cache: optional('BOOL', false) }, returns, (context, args) => {
    // The shape is the one above, which holds P and the three names besides.
    const given = args as unknown as ArgumentsOf<P> & StreamNames & CacheWish
    read.check?.(context, given)
    const state = withNewText.test(name) ? missingStreamText(context) : undefined
    const stream = requireStream(context, given.data_provider, given.stream_id, state)
    const rows = read.rows(noticingCache(context, toAccess(context, name), given), stream, given)
    // The network of the description says so once, after the read, of a stream of either type.
    if (context.profile.answers === 'described' && asksForCache(given)) context.notice('{"cache_hit": false}')
    return rows
  })
}

/** Reads whose text for a stream that is not there has changed on the network. */
const withNewText = /^(truflation_)?get_(record|index|index_change|first_record|last_record)$/

/** The access of the caller to a series, by the rules of an action. */
export function toAccess({ store, budget, caller }: ActionContext, action: string): Access {
  const rules = action.startsWith('truflation_') ? datedRules : undefined
  return { store, budget, wallet: caller.toLowerCase(), rules }
}

/** Today's network has a cache for composed streams only, and each read of one says that it is switched off. */
function noticingCache(context: ActionContext, access: Access, wish: CacheWish): Access {
  if (context.profile.answers === 'described' || !asksForCache(wish)) return access
  return { ...access, onComposedRead: () => context.notice('{"cache_disabled": true}') }
}

/** Tells whether a read would be answered from the cache: frozen reads pass it by. */
function asksForCache({ use_cache, frozen_at }: CacheWish): boolean {
  return use_cache === true && frozen_at === null
}
