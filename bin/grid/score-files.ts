/** `sluice grid score --labels FILE --file ALERTS`: a score from files, without a service. */

import { createReadStream, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { messageOf } from '#base/errors.ts'
import { isRecord, parseJson } from '#base/json.ts'
import { doAtOnce } from '#base/slices.ts'
import type { FrameLabel } from '#grid/export/labels.ts'
import { parseScore } from '#grid/interface/score-requests.ts'
import { readAlerts } from '#grid/score/read-alerts.ts'
import { score } from '#grid/score/score.ts'
import { gatherTruth } from '#grid/score/truth.ts'
import { parseCommandLine } from '../command-line.ts'

const text = { type: 'string' } as const
const options = { labels: text, file: text, format: text, tolerance: text, grace: text } as const

/** Prints the score. @returns the exit code: 2 where the command line or a file is wrong. */
export async function scoreFiles(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseCommandLine('Cannot score', { args: [...args], options })
    const { labels, file } = values
    if (labels === undefined || file === undefined) {
      throw new Error('Cannot score: there is no --labels or no --file, expected --labels LABELS --file ALERTS')
    }
    const { format, rules } = parseScore((name) => values[name])
    const truth = gatherTruth(await readLabels(labels))
    const alerts = doAtOnce(readAlerts(readFileSync(file, 'utf8'), format))
    console.log(JSON.stringify(doAtOnce(score(truth, alerts, rules)), null, 2))
    return 0
  } catch (error) {
    console.error(messageOf(error))
    return 2
  }
}

async function readLabels(file: string): Promise<readonly FrameLabel[]> {
  const labels: FrameLabel[] = []
  let line = 0
  for await (const written of createInterface({ input: createReadStream(file) })) {
    line += 1
    if (written !== '') labels.push(readLabel(written, `${file}:${line}`))
  }
  return labels
}

function readLabel(written: string, place: string): FrameLabel {
  const label = parseJson(written)
  if (isLabel(label)) return label
  const state = label === undefined ? 'is not JSON' : 'has other members'
  throw new Error(`Cannot read labels: ${place} ${state}, expected a line of "sluice grid export labels"`)
}

/** Checks the members that a score reads. */
function isLabel(value: unknown): value is FrameLabel {
  if (!isRecord(value)) return false
  const { t_us: timeUs, src, dst, label, attack_id: attack, pcap_frame: frame } = value
  const isPlaced = typeof timeUs === 'number' && typeof src === 'string' && typeof dst === 'string'
  const isOrNull = (one: unknown, type: string) => one === null || typeof one === type
  return isPlaced && typeof label === 'string' && isOrNull(attack, 'string') && isOrNull(frame, 'number')
}
