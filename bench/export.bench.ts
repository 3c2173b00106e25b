/** Cost of a full export, and its longest hold on the thread between two chunks: the stall of a step loop. */

import { captureFrames } from '#grid/export/capture.ts'
import { encodeCsv } from '#grid/export/csv.ts'
import { encodeLabels } from '#grid/export/labels.ts'
import { encodePcap } from '#grid/export/pcap.ts'
import { encodePcapng } from '#grid/export/pcapng.ts'
import { encodeStix } from '#grid/export/stix.ts'
import type { Incident, PacketRecord } from '#grid/types.ts'
import { captureRecords, configurationOf } from '#test/support/grid-capture.ts'
import { attackedIncidents, incidentAt } from '#test/support/grid-incidents.ts'

const retainedIncidents = 10_000
const retainedFrames = 1000
const rounds = 30

const incidents: readonly Incident[] = Array.from({ length: retainedIncidents }, (_, second) =>
  second % 2 === 0
    ? incidentAt(second)
    : { ...attackedIncidents[second % 7], ...incidentAt(second, { status: 'attacked' }) },
)
const pattern = captureRecords()
const records: readonly PacketRecord[] = Array.from(
  { length: retainedFrames },
  (_, at) => pattern[at % pattern.length],
).filter((record) => record !== undefined)
const configurations = new Map([4, 5].map((id) => [id, configurationOf(id)]))
const session = { id: 'bench', startedUs: 0, frame: (at: number) => records[at % records.length]?.bytes }

const exports: Readonly<Record<string, () => Iterable<Uint8Array>>> = {
  'CSV, 10,000 incidents': () => encodeCsv(incidents),
  'STIX, 10,000 incidents': () => encodeStix(incidents, session),
  'PCAP, 1,000 frames': () => encodePcap(captureFrames(records, configurations)),
  'PCAPNG, 1,000 frames': () => encodePcapng(captureFrames(records, configurations)),
  'labels, 1,000 frames': () => encodeLabels(captureFrames(records, configurations)),
}

/** Runs an export once: its octets, chunks, whole time and longest time without a chunk. */
function measure(open: () => Iterable<Uint8Array>) {
  const start = performance.now()
  let [bytes, chunks, longest, last] = [0, 0, 0, start]
  for (const chunk of open()) {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    bytes += chunk.length
    chunks++
  }
  return { bytes, chunks, longest, total: performance.now() - start }
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? Number.NaN
}

console.log('| export | octets | chunks | whole (median) | longest stall (median) | longest stall (worst of 30) |')
console.log('| --- | --- | --- | --- | --- | --- |')
for (const [name, open] of Object.entries(exports)) {
  const runs = Array.from({ length: rounds }, () => measure(open))
  const stalls = runs.map(({ longest }) => longest)
  const cells = [median(runs.map(({ total }) => total)), median(stalls), Math.max(...stalls)].map(
    (ms) => `${ms.toFixed(2)} ms`,
  )
  console.log(`| ${name} | ${runs[0]?.bytes} | ${runs[0]?.chunks} | ${cells.join(' | ')} |`)
}
