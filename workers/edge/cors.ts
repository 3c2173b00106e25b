/** The one CORS policy: every origin may read, with a token in a header and never with cookies. */

/** Headers of every answer of the grid's interface. */
export const corsHeaders: Readonly<Record<string, string>> = Object.freeze({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-expose-headers': 'Content-Disposition, X-Grid-Warning',
  'access-control-max-age': '86400',
})
