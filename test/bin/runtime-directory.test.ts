/** The directory that the RUNTIME_* settings name: the same files as the reference program f2fb157 reads. */

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfigDirectory, runtimeDirectory, watchRuntimeDirectory } from '#bin/ratelimit/runtime-directory.ts'
import { readSettings } from '#ratelimit/settings.ts'
import { makeFolder } from '../support/folder.ts'

const root = makeFolder()
for (const path of ['config/a.yaml', 'sub/config/b.yaml', 'sub/config.yaml', 'sub/other/c.yaml', 'sub/config2/d']) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), '')
}

async function keys(environment: Readonly<Record<string, string>>): Promise<readonly string[] | null> {
  const source = runtimeDirectory(readSettings(environment))
  return source === null ? null : (await readConfigDirectory(source)).map(({ key }) => key)
}

describe('runtimeDirectory()', () => {
  it.each([
    [{ RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'sub' }, ['config.b.yaml', 'config.yaml']],
    [{ RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'sub', RUNTIME_APPDIRECTORY: 'other' }, ['other.c.yaml']],
    [{ RUNTIME_ROOT: root }, null],
    [{ RUNTIME_ROOT: '', RUNTIME_SUBDIRECTORY: 'sub' }, null],
    [{ RUNTIME_ROOT: root, RUNTIME_WATCH_ROOT: 'false' }, ['config.a.yaml']],
    [{ RUNTIME_ROOT: '', RUNTIME_SUBDIRECTORY: root, RUNTIME_WATCH_ROOT: 'false' }, ['config.a.yaml']],
    [
      { RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'sub', RUNTIME_WATCH_ROOT: 'false', RUNTIME_APPDIRECTORY: 'other' },
      ['other.c.yaml'],
    ],
    [{ RUNTIME_ROOT: root, RUNTIME_WATCH_ROOT: 'false', RUNTIME_APPDIRECTORY: '' }, null],
    [{ RUNTIME_ROOT: '', RUNTIME_WATCH_ROOT: 'false' }, null],
  ])('finds the files of %j', async (environment, expected) => {
    expect(await keys(environment)).toEqual(expected)
  })

  it('follows a link named as RUNTIME_APPDIRECTORY', async () => {
    mkdirSync(join(root, 'linked'))
    symlinkSync('../sub/config', join(root, 'linked/config'))
    expect(await keys({ RUNTIME_ROOT: root, RUNTIME_SUBDIRECTORY: 'linked' })).toEqual(['config.b.yaml'])
  })
})

describe('watchRuntimeDirectory()', () => {
  it('leaves nothing behind on the signal that ends it', async () => {
    const directory = makeFolder(onTestFinished)
    const source = { directory, keyPrefix: 'config', ignoresDotFiles: false, swappedPath: null }
    const stop = new AbortController()
    let added = 0
    const { addEventListener, removeEventListener } = stop.signal
    stop.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added++
      addEventListener.apply(stop.signal, args)
    }
    stop.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
      added--
      removeEventListener.apply(stop.signal, args)
    }
    let most = 0
    let looks = 0
    const watching = watchRuntimeDirectory(
      source,
      async () => {
        looks++
      },
      { signal: stop.signal, since: 'another', intervalMs: 1 },
    )
    for (let round = 0; round < 50; round++) {
      await new Promise((resolve) => setTimeout(resolve, 2))
      most = Math.max(most, added)
    }
    stop.abort()
    await watching
    expect(looks).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(1)
  })
})
