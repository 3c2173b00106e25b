/** Requests to the limiter and the props of its binding: a mistake is of the one that made it. */

import { expect, it } from 'vitest'
import { readLimitRequest } from '#limiter/limit-request.ts'

const props = 'Cannot read the props of the binding: '
const request = 'Cannot read the request: '

it.each([
  [{}, { limit: '5', period: 60 }, 'invalid_settings', `${props}limit is "5", expected an integer`],
  [{}, { limit: 5, period: 61 }, 'invalid_settings', `${props}period is 61, expected one of 1, 60`],
  [{}, { domain: 7 }, 'invalid_settings', `${props}domain is 7, expected a string`],
  [{}, { limit: 5 }, 'invalid_settings', `${props}there is a limit and no period, expected both or none`],
  [{ limit: 5 }, { period: 61 }, 'invalid_settings', `${props}period is 61`],
  [{ limit: -5 }, { period: 60 }, 'malformed_request', `${request}limit is -5`],
  [{ period: 60 }, {}, 'malformed_request', `${request}there is a period and no limit, expected both or none`],
  [{ domain: 7 }, { domain: 'shop' }, 'malformed_request', `${request}domain is 7`],
])('readLimitRequest() blames the request or the props: %j with %j', (asked, given, code, message) => {
  const read = () => readLimitRequest({ key: 'a', ...asked }, 'limit', given)
  expect(read).toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }))
})
