/** gRPC server reflection: the services of this project described to tools that know none of them, such as grpcurl. */

import { create, type DescFile, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { reading } from './binary.ts'
import { ProtoJsonError } from './errors.ts'
import { file_health } from './gen/health_pb.ts'
import { file_quota } from './gen/quota_pb.ts'
import { file_ratelimit } from './gen/ratelimit_pb.ts'
import {
  file_reflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from './gen/reflection_pb.ts'
import { statusCodes } from './grpc-web/status.ts'

/** Paths of `ServerReflectionInfo`: version 1, and 1alpha for older tools, whose messages are the same bytes. */
export const reflectionPaths = [
  '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
] as const

type Answer = ServerReflectionResponse['messageResponse']

const described = [file_ratelimit, file_quota, file_health, file_reflection]
const files = new Map(described.flatMap(withDependencies).map((file) => [file.proto.name, file] as const))
const symbols = new Map([...files.values()].flatMap((file) => listSymbols(file).map((name) => [name, file] as const)))
const messages = new Set([...files.values()].flatMap(({ messages: own }) => own.flatMap(messageNames)))

/**
 * Answers one question of the stream; a question about something unknown is answered with NOT_FOUND (5) inside the
 * message, and the stream goes on.
 *
 * @throws ProtoJsonError malformed_message when the bytes are not a question.
 */
export function answerReflection(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const request = reading('reflection request', () => fromBinary(ServerReflectionRequestSchema, message))
  const response = create(ServerReflectionResponseSchema, {
    validHost: request.host,
    originalRequest: request,
    messageResponse: answerTo(request),
  })
  return toBinary(ServerReflectionResponseSchema, response)
}

function answerTo({ messageRequest }: ServerReflectionRequest): Answer {
  switch (messageRequest.case) {
    case 'listServices':
      return listServices()
    case 'fileByFilename':
      return describe(files.get(messageRequest.value), `file "${messageRequest.value}"`)
    case 'fileContainingSymbol':
      return describe(symbols.get(messageRequest.value), `symbol "${messageRequest.value}"`)
    case 'fileContainingExtension': {
      const { containingType, extensionNumber } = messageRequest.value
      return describe(undefined, `extension ${extensionNumber} of "${containingType}"`)
    }
    case 'allExtensionNumbersOfType':
      return listExtensions(messageRequest.value)
    default:
      throw new ProtoJsonError('malformed_message', 'Cannot answer reflection request: it asks nothing')
  }
}

function listServices(): Answer {
  const names = described.flatMap(({ services }) => services.map(({ typeName }) => typeName)).sort()
  const service = names.map((name) => ({ $typeName: 'grpc.reflection.v1.ServiceResponse' as const, name }))
  return { case: 'listServicesResponse', value: { $typeName: 'grpc.reflection.v1.ListServiceResponse', service } }
}

function describe(file: DescFile | undefined, what: string): Answer {
  if (file === undefined) return notFound(what)
  const fileDescriptorProto = withDependencies(file).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return {
    case: 'fileDescriptorResponse',
    value: { $typeName: 'grpc.reflection.v1.FileDescriptorResponse', fileDescriptorProto },
  }
}

/** None of the messages has extensions, which proto3 does not know. */
function listExtensions(baseTypeName: string): Answer {
  if (!messages.has(baseTypeName)) return notFound(`message "${baseTypeName}"`)
  return {
    case: 'allExtensionNumbersResponse',
    value: { $typeName: 'grpc.reflection.v1.ExtensionNumberResponse', baseTypeName, extensionNumber: [] },
  }
}

function notFound(what: string): Answer {
  return {
    case: 'errorResponse',
    value: {
      $typeName: 'grpc.reflection.v1.ErrorResponse',
      errorCode: statusCodes.NOT_FOUND,
      errorMessage: `Cannot describe ${what}: there is none`,
    },
  }
}

/** A file, then its dependencies and theirs in turn, each once. */
function withDependencies(file: DescFile): readonly DescFile[] {
  const found = new Set([file])
  // A loop over a set visits what is added during it.
  for (const one of found) for (const dependency of one.dependencies) found.add(dependency)
  return [...found]
}

/** Full names of everything that a file declares. */
function listSymbols({ services, messages: own, enums, extensions }: DescFile): readonly string[] {
  return [
    ...services.flatMap(({ typeName, methods }) => [typeName, ...methods.map(({ name }) => `${typeName}.${name}`)]),
    ...own.flatMap(symbolsOfMessage),
    ...enums.flatMap(symbolsOfEnum),
    ...extensions.map(({ typeName }) => typeName),
  ]
}

function symbolsOfMessage(message: DescMessage): readonly string[] {
  const { typeName, fields, oneofs, nestedMessages, nestedEnums } = message
  return [
    typeName,
    ...[...fields, ...oneofs].map(({ name }) => `${typeName}.${name}`),
    ...nestedMessages.flatMap(symbolsOfMessage),
    ...nestedEnums.flatMap(symbolsOfEnum),
  ]
}

/** The values of an enum are names of the scope around it. */
function symbolsOfEnum({ typeName, values }: DescMessage['nestedEnums'][number]): readonly string[] {
  const scope = typeName.slice(0, typeName.lastIndexOf('.') + 1)
  return [typeName, ...values.map(({ name }) => scope + name)]
}

function messageNames({ typeName, nestedMessages }: DescMessage): readonly string[] {
  return [typeName, ...nestedMessages.flatMap(messageNames)]
}
