/**
 * `npm test` and `npm run check`: the whole gate, the same for a person and for a build server.
 *
 * Types, lint, bundles, dry-run deployments and every test, in that order; all of them run even when one fails.
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 when anything failed.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from './project.ts'

interface Step {
  readonly name: string
  readonly command: readonly string[]
}

const steps: readonly Step[] = [
  ...['src', 'proto-json', 'test', 'test/durable-objects'].map((folder) => ({
    name: `types of ${folder}`,
    command: ['tsc', '-p', folder],
  })),
  { name: 'format and lint', command: ['biome', 'ci', '--error-on-warnings', '--colors=off', '.'] },
  { name: 'bundles', command: ['node', 'bin/run.mjs', 'build'] },
  ...['', 'grid', 'ratelimit', 'streamnet'].map((environment) => ({
    name: `dry-run deployment of ${environment || 'the whole'}`,
    command: [
      'wrangler',
      'deploy',
      '--dry-run',
      `--env=${environment}`,
      '--outdir',
      `.build/deploy/${environment || 'index'}`,
    ],
  })),
]

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly numFailedTestSuites: number
  readonly testResults: readonly Suite[]
}

interface Suite {
  readonly name: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

const environment = {
  ...process.env,
  PATH: `${join(projectRoot, 'node_modules/.bin')}:${process.env.PATH ?? ''}`,
  CI: '1',
  // A test that runs away ends with its own process, not with the machine.
  NODE_OPTIONS: '--max-old-space-size=4096',
  // Hundreds of commands start: what one has compiled serves the next, where this Node can.
  NODE_COMPILE_CACHE: join(projectRoot, '.build/compile-cache'),
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}

const counts = { passed: 0, failed: 0, skipped: 0 }
for (const step of steps) count(step)
countTests()
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
process.exitCode = counts.failed === 0 ? 0 : 1

function count({ name, command }: Step): void {
  const started = process.hrtime.bigint()
  const [program = '', ...args] = command
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: projectRoot,
    env: environment,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const seconds = (Number(process.hrtime.bigint() - started) / 1e9).toFixed(1)
  counts[status === 0 ? 'passed' : 'failed']++
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${name} (${seconds} s)`)
  if (status !== 0) console.log(`${stdout}${stderr}`)
}

function countTests(): void {
  const reportPath = join(projectRoot, '.build/vitest.json')
  mkdirSync(join(projectRoot, '.build'), { recursive: true })
  rmSync(reportPath, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`]
  const { status } = spawnSync('vitest', ['run', ...reporters], {
    cwd: projectRoot,
    env: environment,
    stdio: 'inherit',
  })
  if (!existsSync(reportPath)) {
    counts.failed++
    console.log(`FAILED  tests: vitest ended with exit code ${status} and left no report`)
    return
  }
  const report: Report = JSON.parse(readFileSync(reportPath, 'utf8'))
  counts.passed += report.numPassedTests
  // A suite that could not even be loaded has no failed test in it; it counts as one.
  counts.failed += Math.max(report.numFailedTests, status === 0 ? 0 : 1)
  counts.skipped += report.numPendingTests + report.numTodoTests
  for (const name of report.testResults.flatMap(skippedTests)) console.log(`skipped  ${name}`)
}

function skippedTests({ assertionResults }: Suite): readonly string[] {
  const skipped = assertionResults.filter(({ status }) => status === 'skipped' || status === 'pending')
  return skipped.map(({ fullName }) => fullName)
}
