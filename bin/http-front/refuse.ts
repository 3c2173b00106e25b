/** Answers of the front itself: one line of text. */

import type { ServerResponse } from 'node:http'

/** Answers with a status and a message; a response that has begun is cut. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const body = Buffer.from(`${message}\n`)
  response.writeHead(status, {
    'content-length': body.length,
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...(status === 503 && { 'retry-after': '1' }),
  })
  response.end(body)
}
