/** `bench/README.md`: what was measured, between markers, with the date, the machine and the versions. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '#bin/project.ts'

const page = join(projectRoot, 'bench/README.md')

/**
 * Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->`.
 *
 * @throws Error when the page has no such markers.
 */
export function writeSection(name: string, text: string): void {
  const { before, after } = partsOf(name)
  writeFileSync(page, `${before}\n\n${provenance()}\n\n${text}\n\n${after}`)
}

/**
 * Gives the text between the markers of a section.
 *
 * @throws Error when the page has no such markers.
 */
export function readSection(name: string): string {
  return partsOf(name).section
}

function partsOf(name: string): { readonly before: string; readonly section: string; readonly after: string } {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`Cannot find ${name}: bench/README.md has no markers for it`)
  const start = from + begin.length
  return { before: text.slice(0, start), section: text.slice(start, to), after: text.slice(to) }
}

function provenance(): string {
  const [processor] = cpus()
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  const workerd = lock.packages['node_modules/workerd']?.version ?? 'unknown'
  const machine = `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, ${machine}, ${type()} ${release()}, Node ${process.versions.node}, workerd ${workerd}.`
}
