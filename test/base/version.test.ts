import { expect, test } from 'vitest'
import { version } from '#base/version.ts'
import manifest from '../../package.json' with { type: 'json' }

test('version is that of package.json', () => {
  expect(version).toBe(manifest.version)
})
