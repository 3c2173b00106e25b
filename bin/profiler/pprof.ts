/** A profile of the processor in the form of `go tool pprof`: profile.proto, compressed by gzip. */

import { gzipSync } from 'node:zlib'
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import {
  type FunctionSchema,
  type LocationSchema,
  ProfileSchema,
  type SampleSchema,
} from '#proto-json/gen/profile_pb.ts'
import { type CpuProfile, type ProfileNode, sampleMicros } from './cpu-profile.ts'

/** Nodes that use no processor time: the root of the tree, and waiting. */
const unmeasured = new Set(['(root)', '(idle)'])

/**
 * Converts a profile. A sample is a stack with the number of looks that found it and its nanoseconds.
 *
 * @param endedMs - Unix time in milliseconds when it was taken.
 */
export function toPprof(profile: CpuProfile, endedMs: number): Uint8Array {
  const texts = createTexts()
  const places = createPlaces(texts.indexOf)
  const samples = samplesOf(profile, places.idOf)
  const durationNanos = micros(profile.endTime - profile.startTime)
  const cpu = { type: texts.indexOf('cpu'), unit: texts.indexOf('nanoseconds') }
  const message = create(ProfileSchema, {
    sampleType: [{ type: texts.indexOf('samples'), unit: texts.indexOf('count') }, cpu],
    sample: samples,
    location: places.locations,
    function: places.functions,
    stringTable: texts.all,
    timeNanos: BigInt(endedMs) * 1_000_000n - durationNanos,
    durationNanos,
    periodType: cpu,
    period: micros(sampleMicros),
  })
  return gzipSync(toBinary(ProfileSchema, message))
}

function micros(value: number): bigint {
  return BigInt(Math.max(0, Math.round(value))) * 1_000n
}

/** One sample for every node that was found running: its stack from the inside out. */
function samplesOf(
  { nodes, samples, timeDeltas }: CpuProfile,
  idOf: (node: ProfileNode) => bigint,
): MessageInitShape<typeof SampleSchema>[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const measured = new Map<number, { count: number; time: number }>()
  for (const [at, id] of samples.entries()) {
    const sum = measured.get(id) ?? { count: 0, time: 0 }
    measured.set(id, { count: sum.count + 1, time: sum.time + (timeDeltas[at] ?? 0) })
  }
  return [...measured].flatMap(([id, { count, time }]) => {
    const stack = stackOf(id, byId, parents)
    if (stack.length === 0) return []
    return [{ locationId: stack.map(idOf), value: [BigInt(count), micros(time)] }]
  })
}

function stackOf(
  leaf: number,
  byId: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): readonly ProfileNode[] {
  const stack: ProfileNode[] = []
  for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
    const node = byId.get(id)
    if (node !== undefined && !unmeasured.has(node.callFrame.functionName)) stack.push(node)
  }
  return stack
}

/** The table of texts, which begins with the empty one. */
function createTexts() {
  const indices = new Map([['', 0]])
  const all = ['']
  return {
    all,
    indexOf(text: string): bigint {
      const known = indices.get(text)
      if (known !== undefined) return BigInt(known)
      indices.set(text, all.length)
      return BigInt(all.push(text) - 1)
    },
  }
}

/** The functions of a profile, each with the one location that it has. */
function createPlaces(indexOf: (text: string) => bigint) {
  const ids = new Map<string, bigint>()
  const locations: MessageInitShape<typeof LocationSchema>[] = []
  const functions: MessageInitShape<typeof FunctionSchema>[] = []
  return {
    locations,
    functions,
    idOf({ callFrame: { functionName, url, lineNumber } }: ProfileNode): bigint {
      const key = JSON.stringify([functionName, url, lineNumber])
      const known = ids.get(key)
      if (known !== undefined) return known
      const id = BigInt(ids.size + 1)
      const [name, line] = [indexOf(functionName || '(anonymous)'), BigInt(Math.max(0, lineNumber + 1))]
      ids.set(key, id)
      locations.push({ id, line: [{ functionId: id, line }] })
      functions.push({ id, name, systemName: name, filename: indexOf(url), startLine: line })
      return id
    },
  }
}
