/** The settlement of a market in two steps: the network answers its question, and then anyone settles it. */

import type { JSX } from 'preact'
import { Button, Panel, Problem } from '../../frame/components.tsx'
import { Loaded } from '../../frame/loaded.tsx'
import { useAction } from '../../frame/resource.ts'
import { dateTime, now } from '../../frame/time.ts'
import { read, useRead, write } from '../gateway.ts'
import { useBlockEvents } from '../watch.ts'
import type { MarketInfo } from './question.ts'

type Answers = readonly { readonly signed_height: number | null }[]
type Blocks = { readonly height: number; readonly blocks: readonly { readonly time_ms: number }[] }
type QueryParts = Readonly<Record<'data_provider' | 'stream_id' | 'action_id' | 'args', string>>

/** Both steps, for a market that is open. */
export function Settlement({ market }: { readonly market: MarketInfo }): JSX.Element {
  const { id, hash, query_components, settle_time } = market
  const { answers, blockMs } = useAnswers(hash)
  const { isBusy, error, run } = useAction()
  // A development node's clock may be ahead of the one on the wall.
  const chainSeconds = Math.max(now.value, blockMs) / 1000
  const isDue = chainSeconds >= settle_time
  return (
    <Panel title="Settlement">
      <Loaded of={answers}>
        {(found) => {
          const isSigned = found.some(({ signed_height }) => signed_height !== null)
          return (
            <div class="stack">
              <p>
                {isDue
                  ? describeDue(isSigned)
                  : `The market is due on ${dateTime(settle_time * 1000)}; the newest block is of ${dateTime(chainSeconds * 1000)}.`}
              </p>
              <div class="row">
                <Button disabled={isBusy || !isDue} onClick={() => run(() => requestAnswer(query_components))}>
                  Ask the network for the answer
                </Button>
                <Button
                  kind="primary"
                  disabled={isBusy || !isDue || !isSigned}
                  onClick={() => run(() => write('settle_market', { query_id: id }))}
                >
                  Settle the market
                </Button>
              </div>
            </div>
          )
        }}
      </Loaded>
      <Problem error={error} />
    </Panel>
  )
}

/** Keeps the answers to a question known, and the time of the newest block in Unix milliseconds: 0 until it is read. */
function useAnswers(hash: string) {
  const answers = useRead<Answers>('list_attestations', { attestation_hash: hash, limit: 10 })
  const blocks = useRead<Blocks>('blocks', { limit: 1 })
  useBlockEvents((height) => {
    if (height === blocks.data?.height) return
    blocks.reload()
    answers.reload()
  })
  return { answers, blockMs: blocks.data?.blocks[0]?.time_ms ?? 0 }
}

function describeDue(isSigned: boolean): string {
  return isSigned
    ? 'The network has answered the question: anyone may settle the market.'
    : 'The market is due. The network answers its question when it is asked, for a fee of 40 TRUF, or by itself at its next round.'
}

/** Asks the network to attest the answer to a question. */
async function requestAnswer(query_components: string): Promise<void> {
  const parts = await read<QueryParts>('decode_query_components', { query_components })
  const { data_provider, stream_id, action_id: action_name, args } = parts
  await write('request_attestation', { data_provider, stream_id, action_name, args: `0x${args.replace(/^0x/, '')}` })
}
