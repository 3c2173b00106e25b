/** The one message of a request: exactly one frame, and not compressed. */

import { describe, expect, it } from 'vitest'
import { onlyMessage } from '#proto-json/grpc-web/dialect.ts'

const payload = new Uint8Array([1, 2, 3])
const frame = (flags: number) => ({ flags, payload })

describe('onlyMessage()', () => {
  it('takes the payload of the one frame', () => {
    expect(onlyMessage([frame(0)])).toBe(payload)
  })

  it.each([
    [[], 'malformed_message', 'it holds 0 messages, expected one'],
    [[frame(0), frame(0)], 'malformed_message', 'it holds 2 messages, expected one'],
    [[frame(1)], 'compressed_message', 'its message is compressed, expected identity'],
    [[frame(0x80)], 'malformed_message', 'its frame has flags 128, expected 0'],
  ])('refuses %j as %s', (frames, code, message) => {
    expect(() => onlyMessage(frames)).toThrow(
      expect.objectContaining({ code, message: `Cannot read request: ${message}` }),
    )
  })
})
