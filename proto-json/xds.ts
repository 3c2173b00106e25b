/** The messages of a control plane (xDS) as protobuf bytes: requests for rules, and responses with the rules of each domain. */

import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { JsonObject } from '#base/json.ts'
import { reading } from './binary.ts'
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
  type RateLimitConfig,
  RateLimitConfigSchema,
  type RateLimitDescriptor,
  type RateLimitPolicy,
  RateLimitUnit,
  RateLimitUnitSchema,
} from './gen/xds_pb.ts'

/** Path of `envoy.service.discovery.v3.AggregatedDiscoveryService.StreamAggregatedResources`. */
export const discoveryStreamPath = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources'

/** The type of the resources that hold rules. */
export const rulesTypeUrl = 'type.googleapis.com/ratelimit.config.ratelimit.v3.RateLimitConfig'

/** The client of a control plane: what chooses its resources. */
export interface DiscoveryNode {
  readonly id: string
  readonly metadata: Readonly<Record<string, string>>
}

/** Asks for rules; with a nonce it accepts the response of that nonce, with `refusal` too it refuses it. */
export interface DiscoveryRequest {
  readonly node: DiscoveryNode
  /** The version in force; empty before the first. */
  readonly version: string
  /** The response that is answered; empty in the first request of a stream. */
  readonly nonce: string
  /** The reason of a refusal. */
  readonly refusal?: string
}

/** All resources of one type. */
export interface DiscoveryResponse {
  readonly version: string
  readonly nonce: string
  readonly typeUrl: string
  readonly resources: readonly Resource[]
}

/** A resource that is not decoded yet. */
export interface Resource {
  readonly typeUrl: string
  readonly value: Uint8Array
}

/** Encodes a request for rules. */
export function encodeDiscoveryRequest({ node, version, nonce, refusal }: DiscoveryRequest): Uint8Array {
  const message = create(DiscoveryRequestSchema, {
    versionInfo: version,
    node: { id: node.id, metadata: { ...node.metadata } },
    typeUrl: rulesTypeUrl,
    responseNonce: nonce,
    ...(refusal !== undefined && { errorDetail: { message: refusal } }),
  })
  return toBinary(DiscoveryRequestSchema, message)
}

/** @throws ProtoJsonError malformed_message when the bytes are not a response. */
export function decodeDiscoveryResponse(bytes: Uint8Array): DiscoveryResponse {
  return reading('discovery response', () => {
    const { versionInfo, nonce, typeUrl, resources } = fromBinary(DiscoveryResponseSchema, bytes)
    return { version: versionInfo, nonce, typeUrl, resources }
  })
}

/**
 * Decodes the rules of one domain.
 *
 * @returns the name of the resource in the control plane, and the rules as YAML in its JSON form.
 * @throws ProtoJsonError malformed_message when the bytes are not a RateLimitConfig.
 */
export function decodeRules(bytes: Uint8Array): { readonly name: string; readonly text: string } {
  return reading('RateLimitConfig', () => {
    const config = fromBinary(RateLimitConfigSchema, bytes)
    return { name: config.name, text: JSON.stringify(toFile(config)) }
  })
}

/** Absent fields of the message stay absent in the file: its reader has the defaults. */
function toFile({ domain, descriptors }: RateLimitConfig): JsonObject {
  return { domain, descriptors: descriptors.map(toDescriptor) }
}

function toDescriptor(descriptor: RateLimitDescriptor): JsonObject {
  const { key, value, rateLimit, descriptors, shadowMode, detailedMetric, quotaMode, metadata } = descriptor
  return {
    key,
    ...(value !== '' && { value }),
    ...(rateLimit !== undefined && { rate_limit: toLimit(rateLimit) }),
    ...(descriptors.length > 0 && { descriptors: descriptors.map(toDescriptor) }),
    ...(shadowMode && { shadow_mode: true }),
    ...(detailedMetric && { detailed_metric: true }),
    ...(quotaMode && { quota_mode: true }),
    ...(metadata !== undefined && { metadata }),
  }
}

function toLimit({ unit, requestsPerUnit, unlimited, name, replaces }: RateLimitPolicy): JsonObject {
  // Only an unlimited rule may lack a unit; the name of an unknown one goes into the mistake.
  const hasUnit = !unlimited || unit !== RateLimitUnit.UNKNOWN
  return {
    ...(hasUnit && { unit: RateLimitUnitSchema.value[unit]?.localName ?? String(unit) }),
    ...(!unlimited && { requests_per_unit: requestsPerUnit }),
    ...(unlimited && { unlimited: true }),
    ...(name !== '' && { name }),
    ...(replaces.length > 0 && { replaces: replaces.map((replaced) => ({ name: replaced.name })) }),
  }
}
