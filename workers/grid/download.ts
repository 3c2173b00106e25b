/** Attachments: a stream with a fixed name and type. */

/** Headers that make a body a download; the names are our own, so they need no escaping. */
export function attachmentHeaders(filename: string, contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  }
}
