/** The public face of the protobuf side. */

export { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './binary.ts'
export { ProtoJsonError } from './errors.ts'
export { parseMediaType } from './grpc-web/content-type.ts'
export { createFrameDecoder, decodeFrames, encodeFrame } from './grpc-web/frame.ts'
export { type MethodTable, unknownMethodText } from './grpc-web/method.ts'
export { serve } from './grpc-web/serve.ts'
export {
  decodeStatusMessage,
  encodeStatusMessage,
  type Status,
  type StatusName,
  statusCodes,
  statusOfHttp,
  statusTable,
} from './grpc-web/status.ts'
export { formatTimeout, parseTimeout } from './grpc-web/timeout.ts'
export { decodeTrailers, encodeTrailersFrame, statusOfTrailers, type Trailers } from './grpc-web/trailer.ts'
export { readRequest, readResponse, writeRequest, writeResponse } from './json.ts'
export { decisionSchemas } from './json-schema.ts'
export { decodeReports, encodeActions, quotaShardsPath, quotaStreamPath } from './quota.ts'
export {
  healthCheckPath,
  healthMethods,
  healthWatchPath,
  rateLimitMethods,
  type ServingStatus,
  servedMethods,
  shouldRateLimitPath,
} from './services.ts'
export { showResponse } from './text.ts'
