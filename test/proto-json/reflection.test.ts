import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { describe, expect, it } from 'vitest'
import { ProtoJsonError } from '#proto-json/errors.ts'
import {
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from '#proto-json/gen/reflection_pb.ts'
import { answerReflection } from '#proto-json/reflection.ts'

type Question = ServerReflectionRequest['messageRequest']

function ask(messageRequest: Question): ServerReflectionResponse {
  const request = create(ServerReflectionRequestSchema, { host: 'a host', messageRequest })
  const bytes = answerReflection(toBinary(ServerReflectionRequestSchema, request))
  return fromBinary(ServerReflectionResponseSchema, bytes)
}

/** Names of the files in an answer, in order. */
function filesOf({ messageResponse }: ServerReflectionResponse): readonly string[] {
  if (messageResponse.case !== 'fileDescriptorResponse') throw new Error(`answered ${messageResponse.case}`)
  return messageResponse.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name)
}

const rateLimitFiles = [
  'ratelimit.proto',
  'google/protobuf/duration.proto',
  'google/protobuf/struct.proto',
  'google/protobuf/timestamp.proto',
  'google/protobuf/wrappers.proto',
]

describe('answerReflection()', () => {
  it('repeats the host and the question', () => {
    const { validHost, originalRequest } = ask({ case: 'listServices', value: '' })
    expect(validHost).toBe('a host')
    expect(originalRequest?.messageRequest).toEqual({ case: 'listServices', value: '' })
  })

  it('lists every service by its full name', () => {
    const { messageResponse } = ask({ case: 'listServices', value: '*' })
    expect(messageResponse.case === 'listServicesResponse' && messageResponse.value.service).toMatchObject([
      { name: 'envoy.service.rate_limit_quota.v3.RateLimitQuotaService' },
      { name: 'envoy.service.ratelimit.v3.RateLimitService' },
      { name: 'grpc.health.v1.Health' },
      { name: 'grpc.reflection.v1.ServerReflection' },
    ])
  })

  it.each([
    ['envoy.service.ratelimit.v3.RateLimitService', rateLimitFiles],
    ['envoy.service.ratelimit.v3.RateLimitService.ShouldRateLimit', rateLimitFiles],
    ['envoy.service.ratelimit.v3.RateLimitRequest', rateLimitFiles],
    ['envoy.service.ratelimit.v3.RateLimitRequest.hits_addend', rateLimitFiles],
    ['envoy.service.ratelimit.v3.RateLimitResponse.Code', rateLimitFiles],
    ['envoy.service.ratelimit.v3.RateLimitResponse.OVER_LIMIT', rateLimitFiles],
    ['grpc.health.v1.Health', ['health.proto']],
    ['grpc.health.v1.HealthCheckResponse.ServingStatus', ['health.proto']],
    ['grpc.reflection.v1.ServerReflectionRequest.message_request', ['reflection.proto']],
    ['google.protobuf.Duration', ['google/protobuf/duration.proto']],
  ])('finds the file that declares %s, and what it depends on', (symbol, names) => {
    expect(filesOf(ask({ case: 'fileContainingSymbol', value: symbol }))).toEqual(names)
  })

  it('finds a file by its name', () => {
    expect(filesOf(ask({ case: 'fileByFilename', value: 'health.proto' }))).toEqual(['health.proto'])
    expect(filesOf(ask({ case: 'fileByFilename', value: 'google/protobuf/struct.proto' }))).toEqual([
      'google/protobuf/struct.proto',
    ])
  })

  it('knows that no message has extensions', () => {
    const value = 'envoy.service.ratelimit.v3.RateLimitRequest'
    expect(ask({ case: 'allExtensionNumbersOfType', value }).messageResponse).toMatchObject({
      case: 'allExtensionNumbersResponse',
      value: { baseTypeName: value, extensionNumber: [] },
    })
  })

  it.each<Question>([
    { case: 'fileByFilename', value: 'other.proto' },
    { case: 'fileContainingSymbol', value: 'other.Service' },
    { case: 'fileContainingSymbol', value: '' },
    {
      case: 'fileContainingExtension',
      value: {
        $typeName: 'grpc.reflection.v1.ExtensionRequest',
        containingType: 'grpc.health.v1.HealthCheckRequest',
        extensionNumber: 7,
      },
    },
    { case: 'allExtensionNumbersOfType', value: 'other.Message' },
  ])('answers NOT_FOUND for %j', (question) => {
    expect(ask(question).messageResponse).toMatchObject({
      case: 'errorResponse',
      value: { errorCode: 5, errorMessage: expect.stringMatching(/^Cannot describe .+: there is none$/) },
    })
  })

  it.each([
    ['garbage', new Uint8Array([0xff, 0xff, 0xff])],
    ['a question that asks nothing', new Uint8Array(0)],
  ])('refuses %s', (_, bytes) => {
    expect(() => answerReflection(bytes)).toThrow(ProtoJsonError)
  })
})
