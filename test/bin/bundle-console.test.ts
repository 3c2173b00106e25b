import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildConsole, bundleConsole, type ConsoleFile, consoleFolder } from '#bin/bundle-console.ts'

let files: readonly ConsoleFile[]

beforeAll(async () => {
  files = await buildConsole()
})

const bytesOf = (some: readonly ConsoleFile[]) =>
  some.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)

describe('buildConsole()', () => {
  it('gives at most 87 kB, gzipped, of which a first view loads at most 40 kB', () => {
    expect(bytesOf(files)).toBeLessThanOrEqual(87_000)
    expect(bytesOf(files.filter(({ isFirst }) => isFirst))).toBeLessThanOrEqual(40_000)
    // The largest room with what every view loads.
    const rooms = files.filter(({ name }) => /^(room|docs)-/.test(name))
    expect(rooms.length).toBe(4)
  })

  it('loads the script, the style sheet and the icon first, and rooms later', () => {
    const first = files.filter(({ isFirst }) => isFirst).map(({ name }) => name)
    for (const pattern of [/^main-\w+\.js$/, /^main-\w+\.css$/, /^icon-\w+\.svg$/]) {
      expect(first.filter((name) => pattern.test(name)).length).toBe(1)
    }
    expect(first.filter((name) => /^(room|docs)-/.test(name))).toEqual([])
  })

  it('names every file by its content and loads nothing from other hosts', () => {
    for (const { name, contents } of files) {
      expect(name).toMatch(/^[\w-]+-[A-Z0-9]{8}\.(js|css|svg)$/)
      const addresses =
        Buffer.from(contents)
          .toString()
          .match(/https?:\/\/[\w.]+/g) ?? []
      // The names of namespaces, and the page of a technique: a link that a person follows.
      const known = ['http://www.w3.org', 'https://attack.mitre.org']
      expect(addresses.filter((address) => !known.includes(address))).toEqual([])
    }
  })
})

describe('bundleConsole()', () => {
  it('writes a page that preloads all first files, so that no file waits for another', async () => {
    await bundleConsole()
    const page = readFileSync(join(consoleFolder, 'page.html'), 'utf8')
    const asked = [...page.matchAll(/(?:href|src)="\/console\/assets\/([^"]+)"/g)].map(([, name]) => name)
    const first = files.filter(({ isFirst }) => isFirst).map(({ name }) => name)
    expect(first.length).toBeGreaterThan(5)
    expect(asked.sort()).toEqual(first.sort())
    expect(page).not.toContain('{{')
  })
})
