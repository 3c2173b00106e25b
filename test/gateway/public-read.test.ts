import { expect, test } from 'vitest'
import { parsePublicRead, publicOperations } from '#gateway/public-read.ts'

const owner = `0x${'ab'.repeat(20)}`
const stream = `st${'0'.repeat(30)}`

test('nothing is open to callers without a token unless the setting names it', () => {
  expect(parsePublicRead({})).toBeUndefined()
  expect(parsePublicRead({ STREAMNET_PUBLIC_READ: ' , ', STREAMNET_PUBLIC_OPERATIONS: 'get_type' })).toBeUndefined()
})

test('areas, operations and the rate are read from the settings', () => {
  const open = parsePublicRead({ STREAMNET_PUBLIC_READ: `${owner}/${stream}/composed, ${owner}` })
  expect(open?.grant).toEqual({
    name: 'public',
    token: '',
    scopes: [
      { verb: 'read', area: `${owner}/${stream}`, isComposed: true },
      { verb: 'read', area: owner },
    ],
  })
  expect([...(open?.operations ?? [])]).toEqual([...publicOperations])
  expect(open?.perMinute).toBe(60)
  const named = parsePublicRead({
    STREAMNET_PUBLIC_READ: '*',
    STREAMNET_PUBLIC_OPERATIONS: 'list_streams,watch_stream',
    STREAMNET_PUBLIC_RATE: '5',
  })
  expect([[...(named?.operations ?? [])], named?.perMinute]).toEqual([['list_streams', 'watch_stream'], 5])
})

test('the rate is 1 to 999999 reads in a minute', () => {
  const rate = (text: string) => parsePublicRead({ STREAMNET_PUBLIC_READ: '*', STREAMNET_PUBLIC_RATE: text })?.perMinute
  expect([rate('1'), rate('999999')]).toEqual([1, 999_999])
  for (const text of ['0', '01', '1000000']) expect(() => rate(text)).toThrow(`it is "${text}"`)
})

test.each([
  ['an area that is none', { STREAMNET_PUBLIC_READ: '0x12' }, 'STREAMNET_PUBLIC_READ'],
  ['a write', { STREAMNET_PUBLIC_OPERATIONS: 'insert_record' }, '"insert_record" cannot be opened'],
  ['a wait', { STREAMNET_PUBLIC_OPERATIONS: 'wait_for_tx' }, '"wait_for_tx" cannot be opened'],
  ['a misspelled operation', { STREAMNET_PUBLIC_OPERATIONS: 'get_record' }, '"get_record" does not exist'],
  ['a rate of nothing', { STREAMNET_PUBLIC_RATE: '0' }, 'expected reads in a minute'],
] as const)('%s is an error by the name of its setting', (_, variables, text) => {
  const settings = { STREAMNET_PUBLIC_READ: '*', ...variables }
  expect(() => parsePublicRead(settings)).toThrow(
    expect.objectContaining({ code: 'invalid_settings', message: expect.stringContaining(text) }),
  )
})
