/** The tests that sweep over seeds and random inputs, whole, from seeds of chance. */

import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'
import { grouped, type Soak } from './outcome.ts'

/** A report of vitest, as far as it is read here. */
interface Report {
  readonly numTotalTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

export const run: Soak = async (scale) => {
  const files = sweepingTests()
  const vitest = join(projectRoot, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--project', 'unit', '--project', 'surfaces', '--reporter=json', ...files]
  const { stdout } = spawnSync(process.execPath, args, {
    cwd: projectRoot,
    env: { ...process.env, SWEEPS: String(scale) },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report // the form of vitest's JSON reporter
  return {
    done: `${grouped(report.numTotalTests)} tests of ${files.length} files, sweeps at ${scale} of their size`,
    facts: [],
    violations: failuresOf(report),
  }
}

/** Files of tests that ask `test/support/sweep.ts` for their size, but those that run in workerd. */
function sweepingTests(): readonly string[] {
  return readdirSync(join(projectRoot, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !/^(durable-objects|peers)\//.test(name))
    .map((name) => join('test', name))
    .filter((path) => readFileSync(join(projectRoot, path), 'utf8').includes('support/sweep.ts'))
}

function failuresOf({ testResults }: Report): readonly string[] {
  return testResults.flatMap(({ name, message, assertionResults }) => [
    ...(assertionResults.length === 0 ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages = [] }) => `${fullName}: ${failureMessages[0]?.slice(0, 1_000)}`),
  ])
}
