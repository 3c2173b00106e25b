/** `sluice streamnet conformance`: plays recorded scenarios against a node, and prints what differs. */

import { readFileSync } from 'node:fs'
import { messageOf } from '#base/errors.ts'
import type { Difference } from '#test/support/conformance/compare.ts'
import { connectNode, operatorEndpoint } from '#test/support/conformance/node-connection.ts'
import { runScenario, type ScenarioResult } from '#test/support/conformance/run.ts'
import { parseScenarios, readScenarioFiles } from '#test/support/conformance/scenario.ts'
import { print, readOptions, UsageError } from './command.ts'

const usage = `Usage: sluice streamnet conformance --endpoint URL [OPTION ...]

Plays what a real node of the network answered against another node, and prints the answers that differ. THE NODE IS
RESET for each scenario: it must take the dev.* methods, in the profile of today (STREAMNET_PROFILE=head).

  --endpoint URL    the node's public port; or the environment variable STREAMNET_ENDPOINT
  --operator URL    the port with the dev.* methods; without it the next port, or /streamnet/admin of a deployment
  --scenarios FILE  scenarios of one's own instead of those that come with the project
  --only NAME       scenarios whose name contains this
  --json            print one JSON value

The bearer token of the operator's port comes from the environment variable STREAMNET_ADMIN_TOKEN. Exit code 0: every
answer is the recorded one; 1: some differ, or the node cannot be used; 2: the command line is wrong.
`

const options = {
  endpoint: { type: 'string', default: process.env.STREAMNET_ENDPOINT ?? '' },
  operator: { type: 'string' },
  scenarios: { type: 'string' },
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Runs the command; exit code 1 when an answer differs. @throws UsageError; ScenarioError when the node cannot be used. */
export async function conformance(args: readonly string[]): Promise<void> {
  const {
    endpoint,
    operator,
    scenarios: path,
    only,
    json,
    help,
  } = readOptions('Cannot run the scenarios', { args: [...args], options })
  if (help) return print(usage)
  for (const address of [endpoint, operator ?? endpoint]) assertHttp(address)
  const token = process.env.STREAMNET_ADMIN_TOKEN || undefined
  const node = connectNode({ endpoint, operator: operator ?? operatorEndpoint(endpoint), token })
  const results: ScenarioResult[] = []
  const chosen = chooseScenarios(path, only)
  try {
    for (const { scenario, shapes } of chosen) {
      const result = await runScenario(node, scenario, shapes)
      results.push(result)
      if (!json) print(describeResult(result))
    }
  } catch (error) {
    // The first error says more than that of a node which is gone.
    await node.operate('dev.reset').catch(() => {})
    throw error
  }
  // Leaves the chain without the scenarios, and with the writers of the node's settings.
  await node.operate('dev.reset')
  print(json ? `${JSON.stringify(results)}\n` : summarize(results))
  if (results.some(({ differences }) => differences.length > 0)) process.exitCode = 1
}

function assertHttp(address: string): void {
  if (/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : '')) return
  throw new UsageError(
    `Cannot run the scenarios: "${address}" is not an http address, expected --endpoint or STREAMNET_ENDPOINT`,
  )
}

function chooseScenarios(path: string | undefined, only: string) {
  const files = path === undefined ? readScenarioFiles() : [parseScenarios(path, readText(path))]
  const all = files.flatMap(({ scenarios, shapes }) => scenarios.map((scenario) => ({ scenario, shapes })))
  const chosen = all.filter(({ scenario }) => scenario.name.includes(only))
  if (chosen.length > 0) return chosen
  const names = all.map(({ scenario }) => scenario.name).join(', ')
  throw new UsageError(`Cannot run the scenarios: no name contains "${only}", expected one of ${names}`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new UsageError(`Cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}

/** The differences of a scenario that are printed, and the characters of an answer; --json prints everything. */
const [maxDifferences, maxAnswerLength] = [10, 600]

function describeResult({ name, compared, differences }: ScenarioResult): string {
  const lines = differences.slice(0, maxDifferences).map((one) => describeDifference(name, one))
  const rest = differences.length - lines.length
  const more = rest > 0 ? `  and ${rest} more, see --json\n` : ''
  return `${name}: ${compared - differences.length} of ${compared} answers are the recorded ones\n${lines.join('')}${more}`
}

function describeDifference(name: string, { index, action, expected, given }: Difference): string {
  const text = (answer: unknown) => JSON.stringify(answer).slice(0, maxAnswerLength)
  return `  ${name} step ${index}, ${action}\n    recorded ${text(expected)}\n    answered ${text(given)}\n`
}

function summarize(results: readonly ScenarioResult[]): string {
  const compared = results.reduce((sum, one) => sum + one.compared, 0)
  const differing = results.reduce((sum, one) => sum + one.differences.length, 0)
  if (differing === 0) return `All ${compared} answers are the recorded ones\n`
  return `${differing} of ${compared} answers differ\n`
}
