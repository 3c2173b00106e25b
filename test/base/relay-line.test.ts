import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRelayRequest, encodeRelayVerdict, parseRelayRequest, readRelayVerdict } from '#base/relay-line.ts'

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('parseRelayRequest()', () => {
  it('reads what encodeRelayRequest() writes, in one line', () => {
    const server = fc.oneof(
      fc.record({ host: fc.string(), port: fc.nat(65_535), tls: fc.boolean() }),
      fc.record({ path: fc.string(), tls: fc.boolean() }),
    )
    fc.assert(
      fc.property(server, (request) => {
        const line = text(encodeRelayRequest(request))
        expect(line.indexOf('\n')).toBe(line.length - 1)
        expect(parseRelayRequest(line.slice(0, -1))).toEqual(request)
      }),
    )
  })

  it.each([
    '',
    'PING',
    'null',
    '[]',
    '{}',
    '{"tls":true}',
    '{"path":1,"tls":true}',
    '{"host":"a","port":"1","tls":true}',
  ])('reads nothing from %j', (line) => {
    expect(parseRelayRequest(line)).toBeNull()
  })
})

describe('readRelayVerdict()', () => {
  it('waits for the whole line, and gives back what is behind it', () => {
    expect(readRelayVerdict(new TextEncoder().encode('-conn'))).toBeNull()
    const bytes = Buffer.concat([encodeRelayVerdict(null), Buffer.from('+PONG\r\n')])
    const { refusal, rest } = readRelayVerdict(bytes) ?? { refusal: '', rest: new Uint8Array() }
    expect(refusal).toBeNull()
    expect(text(rest)).toBe('+PONG\r\n')
  })

  it('reads a reason of several lines as one', () => {
    expect(readRelayVerdict(encodeRelayVerdict('no\nroute'))?.refusal).toBe('no route')
  })
})
