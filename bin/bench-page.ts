/** `bench/README.md`: what was measured, between markers, with the date, the machine and the versions. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from './project.ts'

const page = join(projectRoot, 'bench/README.md')

/**
 * Replaces the text between `<!-- NAME -->` and `<!-- end of NAME -->`.
 *
 * @throws Error when the page has no such markers.
 */
export function writeSection(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const before = readFileSync(page, 'utf8')
  const [from, to] = [before.indexOf(begin), before.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`Cannot write: bench/README.md has no markers for ${name}`)
  const body = `${begin}\n\n${provenance()}\n\n${text}\n\n${end}`
  writeFileSync(page, before.slice(0, from) + body + before.slice(to + end.length))
}

function provenance(): string {
  const [processor] = cpus()
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'))
  const workerd = lock.packages['node_modules/workerd']?.version ?? 'unknown'
  const machine = `${cpus().length} × ${processor?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB`
  const day = new Date().toISOString().slice(0, 10)
  return `${day}, ${machine}, ${type()} ${release()}, Node ${process.versions.node}, workerd ${workerd}.`
}
