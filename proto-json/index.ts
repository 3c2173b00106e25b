/** The public face of the protobuf side. */

export { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './binary.ts'
export { ProtoJsonError, type ProtoJsonErrorCode } from './errors.ts'
export { callUnary, type UnaryAnswer, type UnaryCall } from './grpc-web/call.ts'
export {
  type MediaType,
  type MessageFormat,
  type Protocol,
  parseMediaType,
  supportedMediaTypes,
} from './grpc-web/content-type.ts'
export {
  createFrameDecoder,
  decodeFrames,
  encodeFrame,
  type Frame,
  type FrameDecoder,
} from './grpc-web/frame.ts'
export {
  type Call,
  type Methods,
  type MethodTable,
  type ServeOptions,
  type StreamingCall,
  type StreamingMethod,
  serve,
  type UnaryMethod,
  unknownMethodText,
} from './grpc-web/serve.ts'
export {
  decodeStatusMessage,
  encodeStatusMessage,
  parseStatusCode,
  type Status,
  type StatusCode,
  type StatusName,
  statusCodes,
  statusOfHttp,
  statusTable,
} from './grpc-web/status.ts'
export { formatTimeout, parseTimeout } from './grpc-web/timeout.ts'
export { decodeTrailers, encodeTrailersFrame, statusOfTrailers, type Trailers } from './grpc-web/trailer.ts'
export { readRequest, readRequestBytes, readResponse, writeRequest, writeResponse } from './json.ts'
export { decisionSchemas } from './json-schema.ts'
export {
  type BucketAction,
  decodeReports,
  encodeActions,
  quotaShardsPath,
  quotaStreamPath,
  type ReportedUsage,
  type UsageReports,
} from './quota.ts'
export {
  type Health,
  healthCheckPath,
  healthMethods,
  healthWatchPath,
  rateLimitMethods,
  type ServingStatus,
  servedMethods,
  shouldRateLimitPath,
} from './services.ts'
export { showResponse } from './text.ts'
