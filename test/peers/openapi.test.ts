/** The three OpenAPI documents, given to a validator of the standard. */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorkers } from '#bin/bundle-workers.ts'
import { describeApi as describeGrid } from '#workers/grid/openapi.ts'
import { describeApi as describeGateway } from '#workers/streamnet/openapi.ts'
import { makeFolder } from '../support/folder.ts'
import { findProgram } from '../support/process.ts'
import { startRatelimit } from '../support/ratelimit-bundle.ts'

const validator = findProgram('openapi-spec-validator') ?? ''

function validate(document: unknown): string {
  const folder = makeFolder(onTestFinished)
  const path = join(folder, 'openapi.json')
  writeFileSync(path, JSON.stringify(document))
  const { stdout, stderr } = spawnSync(validator, [path], { encoding: 'utf8' })
  return (stdout + stderr).replace(`${path}: `, '').trim()
}

describe.skipIf(validator === '')('openapi-spec-validator (skipped where it is not installed)', () => {
  it('accepts the document of the grid', () => {
    expect(validate(describeGrid('/api/v1', '0.1.0'))).toBe('OK')
  })

  it('accepts the document of the gateway', () => {
    expect(validate(describeGateway())).toBe('OK')
  })

  it('accepts the document of the rate limiter', async () => {
    await bundleWorkers(['ratelimit'])
    const service = await startRatelimit({}, {})
    const response = await fetch(`${service.url}/ratelimit/openapi.json`)
    expect(validate(await response.json())).toBe('OK')
  })

  it('refuses a document whose operation has no responses', () => {
    const document = { ...describeGrid('/api/v1', '0.1.0'), paths: { '/x': { get: { responses: [] } } } }
    expect(validate(document)).not.toBe('OK')
  })
})
