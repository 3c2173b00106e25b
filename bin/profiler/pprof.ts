/** A profile of the processor in the form of `go tool pprof`: profile.proto, compressed by gzip. */

import type { Profiler } from 'node:inspector'
import { gzipSync } from 'node:zlib'
import { create, toBinary } from '@bufbuild/protobuf'
import { ProfileSchema } from '#proto-json/gen/profile_pb.ts'
import { sampleMicros } from './inspector.ts'

/** Nodes that use no processor time: the root of the tree, and waiting. */
const unmeasured = new Set(['(root)', '(idle)'])

/** Converts a profile. A sample is a stack, from the inside out, with the times it was found and its nanoseconds. */
export function toPprof(profile: Profiler.Profile, endedMs: number): Uint8Array {
  // The table of texts begins with the empty one.
  const texts = new Map([['', 0]])
  const numberText = (text: string) => BigInt(numberIn(texts, text))
  const stacks = measuredStacks(profile)
  const functions = numberFunctions(stacks.flatMap(({ stack }) => stack))
  const sample = stacks.map(({ stack, count, micros }) => ({
    locationId: stack.map(({ callFrame }) => functions.get(functionKey(callFrame))?.id ?? 0n),
    value: [BigInt(count), toNanos(micros)],
  }))
  const described = [...functions.values()].map(({ id, frame: { functionName, url, lineNumber } }) => ({
    id,
    name: numberText(functionName || '(anonymous)'),
    filename: numberText(url),
    line: BigInt(Math.max(0, lineNumber + 1)),
  }))
  const durationNanos = toNanos(profile.endTime - profile.startTime)
  const cpu = { type: numberText('cpu'), unit: numberText('nanoseconds') }
  const sampleType = [{ type: numberText('samples'), unit: numberText('count') }, cpu]
  const message = create(ProfileSchema, {
    sampleType,
    sample,
    location: described.map(({ id, line }) => ({ id, line: [{ functionId: id, line }] })),
    function: described.map((one) => ({ ...one, systemName: one.name, startLine: one.line })),
    stringTable: [...texts.keys()],
    timeNanos: BigInt(endedMs) * 1_000_000n - durationNanos,
    durationNanos,
    periodType: cpu,
    period: toNanos(sampleMicros),
  })
  return gzipSync(toBinary(ProfileSchema, message))
}

type CallFrame = Profiler.ProfileNode['callFrame']

function functionKey({ functionName, url, lineNumber }: CallFrame): string {
  return `${functionName} ${url}:${lineNumber}`
}

/** Numbers functions from 1, in the order of their first use; each has one location of the same id. */
function numberFunctions(nodes: readonly Profiler.ProfileNode[]) {
  const functions = new Map<string, { readonly id: bigint; readonly frame: CallFrame }>()
  for (const { callFrame: frame } of nodes) {
    const key = functionKey(frame)
    if (!functions.has(key)) functions.set(key, { id: BigInt(functions.size + 1), frame })
  }
  return functions
}

/** The number of a key, from 0 in the order of their first use. */
function numberIn(table: Map<string, number>, key: string): number {
  const number = table.get(key) ?? table.size
  table.set(key, number)
  return number
}

function toNanos(micros: number): bigint {
  return BigInt(Math.max(0, Math.round(micros))) * 1_000n
}

/** Every stack that was found running. */
function measuredStacks({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const collectStack = (leaf: number) => {
    const stack: Profiler.ProfileNode[] = []
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const node = byId.get(id)
      if (node !== undefined && !unmeasured.has(node.callFrame.functionName)) stack.push(node)
    }
    return stack
  }
  const measured = new Map<number, { count: number; micros: number }>()
  for (const [at, id] of samples.entries()) {
    const { count, micros } = measured.get(id) ?? { count: 0, micros: 0 }
    measured.set(id, { count: count + 1, micros: micros + (timeDeltas[at] ?? 0) })
  }
  const stacks = [...measured].map(([leaf, sum]) => ({ ...sum, stack: collectStack(leaf) }))
  return stacks.filter(({ stack }) => stack.length > 0)
}
