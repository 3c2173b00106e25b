/** The data sheet of a data set, by the questions of Gebru et al., "Datasheets for Datasets" (CACM 64, 2021). */

import { type Manifest, sumCounts, type WrittenRun } from './manifest.ts'
import type { Split } from './plan.ts'

const splits: readonly Split[] = ['train', 'validation', 'test']

/** Writes the data sheet as Markdown. */
export function writeDataSheet(manifest: Manifest): string {
  const sections = [
    motivation,
    describeComposition(manifest),
    describeCollection(manifest),
    labelling,
    uses,
    distribution,
  ]
  return `# Data sheet\n\n${sections.join('\n\n')}\n`
}

const motivation = `## Motivation

Traffic and measurements of a simulated power grid with attacks that are known frame by frame, to train and to judge detectors.`

function describeComposition({ runs_of_each: each, sources, runs }: Manifest): string {
  const { seconds, attacked, ...counts } = sumRuns(runs)
  return `## Composition

${runs.length} runs, ${each} of each of ${sources.length} sources; ${seconds} seconds, ${counts.frames} frames, of which ${attacked} were made or changed by an attack, and ${counts.flows} flows, of which ${counts.attackFlows} have such a frame. A run is in one split as a whole.

| split | runs | seconds | frames | frames of attacks | flows | flows with an attack |
|---|---|---|---|---|---|---|
${splits.map((split) => splitRow(split, runs)).join('\n')}

| attack | frames |
|---|---|
${listAttacks(counts.attackFrames)}

${contents}`
}

const contents = `\`data/RUN\` is what a detector may see, \`truth/RUN\` what it is judged by:

| file | content |
|---|---|
| \`data/RUN/capture-NNN.pcapng\` | Ethernet frames on the receivers' side of the attackers, one interface, no comments. The files of a run are one capture; \`mergecap -a\` joins them. |
| \`data/RUN/flows.csv\` | Features of flows: frames between two ends in either direction; a flow ends after 60 s, or after 15 s of silence. |
| \`data/RUN/measurements.csv\` | The last value of each measured point, breaker and phasor unit that the control centre has, one row a second. |
| \`truth/RUN/labels.jsonl\` | One line for each frame: \`pcap_frame\` is its number in the capture of the run (null for a frame that never arrived), \`label\` the type of the attack or NONE, \`attack_id\`, technique and changed fields. |
| \`truth/RUN/flows.csv\` | Ends, times and label of each flow, by the same number. |
| \`truth/RUN/state.csv\` | The solved grid and the attacks that are enabled, one row a second. |
| \`manifest.json\` | Every file with its size and SHA-256, every run with seed, split and counts. |

The data describe no person. They hold every frame: nothing is sampled, and the capture loses none.`

function describeCollection({ release, seed, sources }: Manifest): string {
  return `## Collection

Sluice ${release} computed the data: the power flow of each 100 ms, the protocols of the outstations, the attackers, and a capture point behind them. Clock: the simulation's, UTC, in microseconds of the Unix epoch, exact at every host. Seed ${seed}: the same release, sources, seed and number of runs give the same octets. Between the runs of a source differ: the seed of the grid and of each attack, the day of 2026, and the moment at which the attacks begin, later by up to a tenth of the run.

| source | octets | SHA-256 |
|---|---|---|
${sources.map(({ path, octets, sha256 }) => `| ${path} | ${octets} | \`${sha256}\` |`).join('\n')}`
}

const labelling = `## Preprocessing and labels

A label is the attack that made or changed the frame; the simulation knows it and no rule guesses it. Answers to a forged request, and what a grid does after an attack, are not labelled. The features hold no address, port, time or identification number. \`t_us\` in \`measurements.csv\` orders the rows and is not a feature; nor are the numbers of flows. A flow has the label of the attack with the most frames in it.`

const uses = `## Uses

Detectors by frame, by flow and by state of the grid; \`sluice grid score --labels truth/RUN/labels.jsonl --file ALERTS\` scores alerts on a run. Learn from \`train\`, choose by \`validation\`, judge once by \`test\`: two runs of one source share its timeline but for the delay of the attacks, so judge what must be found in other scenarios by a source that is in no other split. Do not carry rates of false alarms over to a plant: background traffic of offices, engineers and other vendors is not here.`

const distribution = `## Distribution and maintenance

The data are synthetic; the person who made them chooses the licence. Check the files with \`manifest.json\`. A mistake is mended by making the set again with a later release, which names itself in the manifest.`

/** The counts of runs together, with their seconds and the frames of all attacks. */
function sumRuns(runs: readonly WrittenRun[]) {
  const counts = sumCounts(runs)
  const attacked = Object.values(counts.attackFrames).reduce((sum, frames) => sum + frames, 0)
  return { ...counts, attacked, seconds: runs.reduce((sum, run) => sum + run.seconds, 0) }
}

function splitRow(split: Split, runs: readonly WrittenRun[]): string {
  const own = runs.filter((run) => run.split === split)
  const { seconds, frames, attacked, flows, attackFlows } = sumRuns(own)
  return `| ${[split, own.length, seconds, frames, attacked, flows, attackFlows].join(' | ')} |`
}

function listAttacks(attackFrames: Readonly<Record<string, number>>): string {
  const rows = Object.entries(attackFrames).sort(([one], [other]) => (one < other ? -1 : 1))
  return rows.length === 0 ? '| none | 0 |' : rows.map(([type, frames]) => `| ${type} | ${frames} |`).join('\n')
}
