/** Protocol of a request, from its content type. */

/** Protocol that carries a call over HTTP. */
export type Protocol = 'grpc-web' | 'grpc-web-text' | 'connect' | 'reverse-bridge'

/** Format of a message. */
export type MessageFormat = 'proto' | 'json'

/** Protocol and format of a content type. */
export interface MediaType {
  readonly protocol: Protocol
  readonly format: MessageFormat
  /** The content type of an answer in kind. */
  readonly answer: string
}

const row = (protocol: Protocol, format: MessageFormat, name: string): readonly [string, MediaType] => [
  name,
  { protocol, format, answer: name },
]

const mediaTypes: ReadonlyMap<string, MediaType> = new Map([
  row('grpc-web', 'proto', 'application/grpc-web'),
  row('grpc-web', 'proto', 'application/grpc-web+proto'),
  row('grpc-web', 'json', 'application/grpc-web+json'),
  row('grpc-web-text', 'proto', 'application/grpc-web-text'),
  row('grpc-web-text', 'proto', 'application/grpc-web-text+proto'),
  row('connect', 'json', 'application/json'),
  row('connect', 'proto', 'application/proto'),
  // What Envoy's reverse bridge is usually told to say upstream.
  row('reverse-bridge', 'proto', 'application/x-protobuf'),
  row('reverse-bridge', 'proto', 'application/protobuf'),
  // The bridge told to change nothing: over HTTP/1.1 these are its frames without the trailers, which it adds.
  row('reverse-bridge', 'proto', 'application/grpc'),
  row('reverse-bridge', 'proto', 'application/grpc+proto'),
])

/** The content types that are understood. */
export const supportedMediaTypes: readonly string[] = [...mediaTypes.keys()]

/** Reads a content type without its parameters, in any case; null when it is missing or not understood. */
export function parseMediaType(contentType: string | null): MediaType | null {
  if (contentType === null) return null
  const exact = mediaTypes.get(contentType)
  if (exact !== undefined) return exact
  const essence = contentType.split(';', 1)[0] ?? ''
  return mediaTypes.get(essence.trim().toLowerCase()) ?? null
}

/** Chooses the answer's media type: the request's, or text where `accept` asks for `application/grpc-web-text`. */
export function answerMediaType(request: MediaType, accept: string | null): MediaType {
  if (request.protocol !== 'grpc-web' || request.format !== 'proto' || accept === null) return request
  const first = parseMediaType(accept.split(',', 1)[0] ?? '')
  return first?.protocol === 'grpc-web-text' ? first : request
}
