/** The help page: its text, and every attack with its parameters as the catalogue has them. */

import { attacks } from '#grid/attacks/catalogue.ts'
import type { AnyAttack } from '#grid/attacks/definition.ts'
import type { ParamSpec } from '#grid/attacks/params.ts'
import help from '../pages/grid-help.html'

const mark = '<!-- attacks -->'

/** Writes the page; it holds no state of any simulation. */
export function writeHelp(): string {
  return help.replace(mark, () => attacks.map(writeAttack).join('\n'))
}

function writeAttack({ type, name, protocol, technique, gridEffect, params }: AnyAttack): string {
  const id = technique === null ? '' : `, ATT&CK ${technique.id}`
  const rows = Object.entries(params).map(([parameter, spec]) => writeParameter(parameter, spec))
  const table = rows.length === 0 ? '<p>No parameters.</p>' : `<table>\n${rows.join('\n')}\n</table>`
  return `<h3 id="${type}"><code>${type}</code></h3>
<p>${escapeHtml(`${name} (${protocol}${id}): ${gridEffect}`)}</p>
${table}`
}

function writeParameter(name: string, spec: ParamSpec): string {
  const unit = spec.unit === undefined ? '' : ` ${spec.unit}`
  const description = spec.description === undefined ? '' : `; ${spec.description}`
  const text = `${formatBounds(spec)}${unit}, default ${JSON.stringify(spec.default)}${description}`
  return `<tr><td><code>${name}</code></td><td>${escapeHtml(text)}</td></tr>`
}

function formatBounds(spec: ParamSpec): string {
  switch (spec.type) {
    case 'number':
    case 'integer':
      return `${spec.type} from ${spec.min} to ${spec.max}`
    case 'boolean':
      return 'true or false'
    case 'strings':
      return `list of 1 to ${spec.maxItems} texts`
    case 'string':
      return 'enum' in spec ? `one of ${spec.enum.join(', ')}` : `text of 1 to ${spec.maxLength} characters`
  }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
