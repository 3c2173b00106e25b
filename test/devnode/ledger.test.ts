import { describe, expect, test } from 'vitest'
import { numeric } from '#streamnet/codec/value.ts'
import type { ActionArg } from '#streamnet/types.ts'
import { keys, nextNonce, startTestNode } from '../support/devnode.ts'

const streamId = `st${'a'.repeat(30)}`

describe('applyTransaction()', () => {
  test('keeps the nonce of a transaction that fails, and nothing else of it', () => {
    const node = startTestNode()
    const failing = node.execute(keys.owner, 'create_streams', [
      [streamId, 'bad'],
      ['primitive', 'primitive'],
    ])
    expect(failing).toMatchObject({ code: 65535, log: expect.stringContaining('Invalid stream_id format: bad') })
    expect(nextNonce(node, keys.owner)).toBe(2)
    expect(node.view('stream_exists', [keys.owner.address, streamId])).toEqual([[false]])
  })

  test('runs an action once for each call, all or none', () => {
    const node = startTestNode()
    node.must(keys.owner, 'create_stream', streamId, 'primitive')
    const call = (time: number, id = streamId) => [[keys.owner.address], [id], [time], numeric(['1'])]
    expect(node.execute(keys.owner, 'insert_records', call(1), call(2), call(3)).code).toBe(0)
    expect(node.execute(keys.owner, 'insert_records', call(4), call(5, `st${'z'.repeat(30)}`)).code).toBe(65535)
    expect(node.view('get_record', [keys.owner.address, streamId, 1, 9, null])).toHaveLength(3)
  })

  test('returns the engine texts of the network', () => {
    const node = startTestNode()
    const logOf = (action: string, ...args: ActionArg[]) => node.execute(keys.owner, action, args).log
    expect(logOf('nope')).toBe('ERROR: unknown action: action "nope" does not exist in namespace "main"')
    expect(logOf('whoami', 1)).toContain('action "whoami" expected at most 0 arguments, but got 1')
    expect(logOf('create_stream', streamId, 5)).toContain('expected argument 2 to be of type text, but got int8')
    expect(logOf('create_stream', streamId)).toContain('missing required argument 2 ($stream_type)')
    const value = numeric('1.5', 2, 1)
    expect(logOf('insert_record', keys.owner.address, streamId, 1, value)).toContain(
      'expected argument 4 to be of type numeric(36,18), but got numeric(2,1)',
    )
  })
})
