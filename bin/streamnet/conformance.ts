/** `node bin/run.mjs streamnet conformance`: plays recorded scenarios against a node, and prints what differs. */

import { readFileSync } from 'node:fs'
import { parseCommandLine } from '../command-line.ts'
import { UsageError } from './arguments.ts'
import type { Difference } from './conformance/compare.ts'
import { connectNode, operatorEndpoint } from './conformance/node-connection.ts'
import { runScenario, type ScenarioResult } from './conformance/run.ts'
import { parseScenarios, type Scenario, type ScenarioFile, type Shapes } from './conformance/scenario.ts'
import { scenarioFiles } from './conformance/scenario-files.ts'

const usage = `Usage: sluice streamnet conformance --endpoint URL [OPTION ...]

Plays what a real node of the network answered against another node, and prints the answers that differ. THE NODE IS
RESET for each scenario: it must take the dev.* methods, in the profile of today (STREAMNET_PROFILE=head).

  --endpoint URL    the node's public port; or the environment variable STREAMNET_ENDPOINT
  --operator URL    the port with the dev.* methods; without it the next port, or /streamnet/admin of a deployment
  --scenarios FILE  scenarios of one's own instead of those that come with the project
  --only NAME       scenarios whose name contains this
  --show COUNT      how many differences of a scenario are printed, 10 unless given
  --json            print one JSON value

The bearer token of the operator's port comes from the environment variable STREAMNET_ADMIN_TOKEN. Exit code 0: every
answer is the recorded one; 1: some differ, or the node cannot be used; 2: the command line is wrong.
`

const options = {
  endpoint: { type: 'string' },
  operator: { type: 'string' },
  scenarios: { type: 'string' },
  only: { type: 'string', default: '' },
  show: { type: 'string', default: '10' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Runs the command and gives its exit code. @throws UsageError; ScenarioError when the node cannot be used. */
export async function conformance(args: readonly string[]): Promise<number> {
  const values = readOptions(args)
  if (values.help) return print(usage, 0)
  const show = readCount(values.show)
  const node = connectNode(readEndpoints(values))
  const results: ScenarioResult[] = []
  for (const [scenario, shapes] of chooseScenarios(values.scenarios, values.only)) {
    const result = await runScenario(node, scenario, shapes)
    results.push(result)
    if (!values.json) print(describeResult(result, show), 0)
  }
  // Leaves the chain without the scenarios, and with the writers of the node's settings.
  await node.operate('dev.reset')
  const isEqual = results.every(({ differences }) => differences.length === 0)
  return print(values.json ? `${JSON.stringify(results)}\n` : summarize(results), isEqual ? 0 : 1)
}

function readOptions(args: readonly string[]) {
  try {
    return parseCommandLine('Cannot run the scenarios', { args: [...args], options }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function readCount(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new UsageError(`Cannot run the scenarios: --show is "${text}", expected a number`)
}

function readEndpoints(values: {
  readonly endpoint?: string | undefined
  readonly operator?: string | undefined
}) {
  const endpoint = values.endpoint ?? (process.env.STREAMNET_ENDPOINT || undefined)
  if (endpoint === undefined) {
    throw new UsageError('Cannot run the scenarios: give --endpoint or set STREAMNET_ENDPOINT')
  }
  for (const address of [endpoint, values.operator ?? endpoint]) {
    if (!/^https?:$/.test(protocolOf(address))) {
      throw new UsageError(`Cannot run the scenarios: "${address}" is not an http address`)
    }
  }
  const operator = values.operator ?? operatorEndpoint(endpoint)
  return { endpoint, operator, token: process.env.STREAMNET_ADMIN_TOKEN || undefined }
}

function protocolOf(address: string): string {
  return URL.canParse(address) ? new URL(address).protocol : ''
}

function chooseScenarios(path: string | undefined, only: string): readonly (readonly [Scenario, Shapes])[] {
  const all = readFiles(path).flatMap(({ scenarios, shapes }) =>
    scenarios.map((scenario) => [scenario, shapes] as const),
  )
  const chosen = all.filter(([{ name }]) => name.includes(only))
  if (chosen.length > 0) return chosen
  const names = all.map(([{ name }]) => name).join(', ')
  throw new UsageError(`Cannot run the scenarios: no name contains "${only}", expected one of ${names}`)
}

function readFiles(path: string | undefined): readonly ScenarioFile[] {
  const files = path === undefined ? scenarioFiles() : [{ name: path, text: readText(path) }]
  return files.map(({ name, text }) => parseScenarios(name, text))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new UsageError(`Cannot read ${path}: there is no such file`)
  }
}

/** The longest answer that is printed whole, in characters. */
const maxAnswerLength = 600

function describeResult({ name, compared, differences }: ScenarioResult, show: number): string {
  const lines = differences.slice(0, show).map((one) => describeDifference(name, one))
  const rest = differences.length - lines.length
  const more = rest > 0 ? `  and ${rest} more, see --show\n` : ''
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

function print(text: string, code: number): number {
  process.stdout.write(text)
  return code
}
