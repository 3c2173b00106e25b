import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeCommands, type Reply, readReplies } from '#ratelimit/redis/resp.ts'
import { sweep } from '../../support/sweep.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (encoded: Uint8Array) => new TextDecoder().decode(encoded)

/** Writes a reply as a server would. */
function encodeReply(reply: Reply): string {
  if (reply === null) return '$-1\r\n'
  if (typeof reply === 'number') return `:${reply}\r\n`
  if (typeof reply === 'string') return `$${bytes(reply).length}\r\n${reply}\r\n`
  if ('error' in reply) return `-${reply.error}\r\n`
  return `*${reply.length}\r\n${reply.map(encodeReply).join('')}`
}

const { reply: anyReply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constant(null),
    fc.maxSafeInteger(),
    fc.string({ unit: 'grapheme' }),
    fc.record({ error: fc.stringMatching(/^[A-Z]{1,9} [a-z ]{0,20}$/) }),
    fc.array(tie('reply'), { maxLength: 4 }),
  ),
}))

describe('encodeCommands()', () => {
  it('writes every argument with its length in bytes', () => {
    expect(text(encodeCommands([['INCRBY', 'kéy', '1'], ['PING']]))).toBe(
      '*3\r\n$6\r\nINCRBY\r\n$4\r\nkéy\r\n$1\r\n1\r\n*1\r\n$4\r\nPING\r\n',
    )
  })
})

describe('readReplies()', () => {
  it('reads each kind of reply of the protocol description', () => {
    const wire = '+OK\r\n-ERR no\r\n:1000\r\n:-3\r\n$5\r\nhello\r\n$0\r\n\r\n$-1\r\n*-1\r\n*2\r\n:1\r\n$1\r\na\r\n'
    const { replies, rest } = readReplies(bytes(wire))
    expect(replies).toEqual(['OK', { error: 'ERR no' }, 1000, -3, 'hello', '', null, null, [1, 'a']])
    expect(rest).toHaveLength(0)
  })

  it('reads the same replies wherever the stream is cut', () => {
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 5 }), fc.array(fc.nat(400)), (sent, cuts) => {
        const wire = bytes(sent.map(encodeReply).join(''))
        const edges = [0, ...cuts.map((cut) => cut % (wire.length + 1)).sort((a, b) => a - b), wire.length]
        const got: Reply[] = []
        let rest: Uint8Array = new Uint8Array(0)
        for (const [index, edge] of edges.entries()) {
          const chunk = wire.subarray(edges[index - 1] ?? 0, edge)
          const read = readReplies(new Uint8Array([...rest, ...chunk]))
          got.push(...read.replies)
          rest = read.rest
        }
        expect(got).toEqual(sent)
        expect(rest).toHaveLength(0)
      }),
      { seed: 7, numRuns: sweep(300) },
    )
  })

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n', /begins with "HTTP/],
    [':12x\r\n', /not an integer/],
    ['+OK\rX', /CR without LF/],
    ['$99999999999\r\n', /bytes in one string/],
    ['*1\r\n'.repeat(20), /nest deeper/],
  ])('refuses %j', (wire, message) => {
    expect(() => readReplies(bytes(wire))).toThrow(message)
  })

  it('refuses a line without an end beyond its bound', () => {
    expect(() => readReplies(bytes(`+${'x'.repeat(70_000)}`))).toThrow(/a line of more than/)
  })
})
