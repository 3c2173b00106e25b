/**
 * The short way for answers without dynamic metadata, which is how nearly every answer is: the text that the library
 * would write, put together without a message in between.
 */

import type { DescriptorStatus, Header, RateLimit, RateLimitResponse } from '#ratelimit/types.ts'

/** Writes an answer; its dynamic metadata, if it has any, is not written. */
export function writePlainResponse(response: RateLimitResponse): string {
  const { overallCode, statuses, responseHeadersToAdd, requestHeadersToAdd = noHeaders } = response
  let text = `{"overallCode":"${overallCode}"`
  if (statuses.length > 0) text += `,"statuses":[${statuses.map(statusText).join(',')}]`
  if (responseHeadersToAdd.length > 0) {
    text += `,"responseHeadersToAdd":[${responseHeadersToAdd.map(headerText).join(',')}]`
  }
  if (requestHeadersToAdd.length > 0) {
    text += `,"requestHeadersToAdd":[${requestHeadersToAdd.map(headerText).join(',')}]`
  }
  return `${text}}`
}

const noHeaders: readonly Header[] = []

function statusText({ code, currentLimit, limitRemaining, secondsUntilReset }: DescriptorStatus): string {
  let text = `{"code":"${code}"`
  if (currentLimit !== undefined) text += `,"currentLimit":${limitText(currentLimit)}`
  if (limitRemaining !== 0) text += `,"limitRemaining":${limitRemaining}`
  if (secondsUntilReset !== undefined) text += `,"durationUntilReset":"${secondsUntilReset}s"`
  return `${text}}`
}

function limitText({ requestsPerUnit, unit, name = '' }: RateLimit): string {
  const number = requestsPerUnit === 0 ? '' : `"requestsPerUnit":${requestsPerUnit},`
  const title = name === '' ? '' : `,"name":${JSON.stringify(name)}`
  return `{${number}"unit":"${unit}"${title}}`
}

/** Writes a header; default values are omitted. */
function headerText({ key, value }: Header): string {
  return JSON.stringify({ ...(key !== '' && { key }), ...(value !== '' && { value }) })
}
