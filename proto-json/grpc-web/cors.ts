/** CORS headers that let a page of another origin call. */

/** Request headers that clients of gRPC-Web and Connect send. */
const allowedHeaders = [
  'content-type',
  'x-grpc-web',
  'x-user-agent',
  'grpc-timeout',
  'connect-protocol-version',
  'connect-timeout-ms',
  'authorization',
] as const

/** Response headers that clients of gRPC-Web and Connect read. */
const exposedHeaders = ['grpc-status', 'grpc-message', 'grpc-status-details-bin'] as const

/** The headers of every answer. No credentials are involved, so any origin may read it. */
export const answerHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders.join(', '),
}

/** The headers of the answer to a preflight request; a browser may keep it for two hours, the most it will. */
export const preflightHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': allowedHeaders.join(', '),
  'access-control-max-age': '7200',
}
